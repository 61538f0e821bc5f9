#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#include "calls.h"

enum { depth = 1000 };

static xmlDocPtr nested(void) {
  static char text[depth * 7 + 1];
  char *end = text;
  for (int each = 0; each < depth; ++each) end = stpcpy(end, "<a>");
  for (int each = 0; each < depth; ++each) end = stpcpy(end, "</a>");
  const xmlDocPtr document = xmlReadMemory(text, (int)(end - text), NULL, NULL, XML_PARSE_HUGE);
  NEED(document != NULL);
  return document;
}

static void parse_1000_levels(void *unused) {
  (void)unused;
  xmlFreeDoc(nested());
}

static void copy_1000_levels(void *unused) {
  (void)unused;
  const xmlDocPtr document = nested(), copy = xmlCopyDoc(document, 1);
  NEED(copy != NULL);
  xmlFreeDoc(copy);
  xmlFreeDoc(document);
}

static void parse_and_print_an_error(void *unused) {
  (void)unused;
  NEED(xmlReadMemory("<a>", 3, NULL, NULL, 0) == NULL);
}

int main(void) {
  static const weft_function calls[] = {parse_1000_levels, copy_1000_levels, parse_and_print_an_error};
  xmlInitParser();
  run_calls(LIBXML_DOTTED_VERSION, calls, sizeof calls / sizeof *calls);
  return 0;
}
