/* A driver that has none of the functions that waits need. */
extern int weft_test_old_device;
int weft_test_old_device = 1;
