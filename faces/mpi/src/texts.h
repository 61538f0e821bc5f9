/* What reports and dumps say of calls that wait. The core keeps the address of a wait's text, and a
 * trace that is written at the end reads it then. So a text is never freed, and serves calls of one
 * name alone: once its wait is over it is that name. */
#ifndef WEFT_MPI_TEXTS_H
#define WEFT_MPI_TEXTS_H

#define CALL_TEXT_BYTES 200

/* call: of WAIT_NAME, a literal. Returns CALL_TEXT_BYTES that begin with the name of the function;
 * null: there is no memory. */
char *take_text(const char *call);

/* For null, nothing is done. */
void give_text_back(const char *call, char *text);

#endif
