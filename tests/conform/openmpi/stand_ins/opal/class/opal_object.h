/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_OPAL_OBJECT_H
#define STAND_IN_OPAL_OBJECT_H
#include "opal_config.h"

typedef struct opal_object_t {
  int references;
} opal_object_t;

/* A class is here a pair of functions that the test calls. */
typedef struct stand_in_class {
  const char *name, *parent;
  size_t size;
  void (*make)(void *object);
  void (*end)(void *object);
} stand_in_class;
#define OBJ_CLASS_DECLARATION(type) extern const stand_in_class type##_class
#define OBJ_CLASS_INSTANCE(type, its_parent, its_make, its_end) \
  static void type##_make(void *object) { its_make(object); }   \
  static void type##_end(void *object) { its_end(object); }     \
  const stand_in_class type##_class = {#type, #its_parent, sizeof(type), type##_make, type##_end}
#endif
