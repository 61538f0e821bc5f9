typedef struct board { int n, row; int column_of[20]; char rising[40], falling[40]; } board;
static inline int is_free(const board *b, int i) {
  int c = b->column_of[i];
  return !b->rising[b->row + c] && !b->falling[b->row - c + b->n];
}
static inline void place(board *b, int i) {
  int c = b->column_of[i];
  b->column_of[i] = b->column_of[b->row];
  b->column_of[b->row] = c;
  b->rising[b->row + c] = 1;
  b->falling[b->row - c + b->n] = 1;
  b->row++;
}
static inline void displace(board *b, int i) {
  b->row--;
  int c = b->column_of[b->row];
  b->rising[b->row + c] = 0;
  b->falling[b->row - c + b->n] = 0;
  b->column_of[b->row] = b->column_of[i];
  b->column_of[i] = c;
}
       long queens(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, board *b);
struct weft_task_3 { weft_tascell_task weft_header; int weft_from; int weft_to; board b_object ; board (*b) ; long sum ; }; static const weft_tascell_kind weft_task_3_kind;
 static _Bool weft_task_3_pack_in(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct weft_task_3 *weft_this = (const struct weft_task_3 *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->weft_from, sizeof weft_this->weft_from)) return 0; if (!weft_tascell_write(weft_bytes, &weft_this->weft_to, sizeof weft_this->weft_to)) return 0; if (!weft_tascell_write(weft_bytes, &weft_this->b_object, sizeof weft_this->b_object)) return 0; if (!weft_tascell_write(weft_bytes, &weft_this->sum, sizeof weft_this->sum)) return 0; return 1; } static _Bool weft_task_3_unpack_in(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->weft_from, sizeof weft_this->weft_from)) return 0; if (!weft_tascell_read(weft_bytes, &weft_this->weft_to, sizeof weft_this->weft_to)) return 0; if (!weft_tascell_read(weft_bytes, &weft_this->b_object, sizeof weft_this->b_object)) return 0; weft_this->b = &weft_this->b_object; if (!weft_tascell_read(weft_bytes, &weft_this->sum, sizeof weft_this->sum)) return 0; return 1; } static _Bool weft_task_3_pack_out(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct weft_task_3 *weft_this = (const struct weft_task_3 *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->sum, sizeof weft_this->sum)) return 0; return 1; } static _Bool weft_task_3_unpack_out(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->sum, sizeof weft_this->sum)) return 0; return 1; }
struct weft_many_5 { weft_tascell_choice weft_choice; int weft_index; int weft_end; board * b ; }; static weft_tascell_task *weft_many_5_divide(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_many_5 *weft_self = (struct weft_many_5 *)weft_record; int weft_from = (int )weft_tascell_middle((long long)weft_self->weft_index, (long long)weft_self->weft_end); if (weft_from >= weft_self->weft_end) return (void *)0; struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_tascell_task_make(weft_worker, &weft_task_3_kind); if (!weft_this) return (void *)0; weft_this->weft_from = weft_from; weft_this->weft_to = weft_self->weft_end; weft_this->b_object = *(weft_self->b); weft_this->b = &weft_this->b_object; weft_this->sum = 0; weft_self->weft_end = weft_from; return &weft_this->weft_header; } static const weft_tascell_operations weft_many_5_operations = {WEFT_TASCELL_CHOICE, {"do_many_wind.tc", "queens", 30}, (void *)0, (void *)0, weft_many_5_divide, (void *)0};
struct weft_wind_7 { weft_tascell_wind weft_wind; board * b ; int i ; }; static void weft_wind_7_undo(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_wind_7 *weft_self = (struct weft_wind_7 *)weft_record; (void)weft_self; (void)weft_worker; { displace((weft_self->b), (weft_self->i)); } } static void weft_wind_7_redo(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_wind_7 *weft_self = (struct weft_wind_7 *)weft_record; (void)weft_self; (void)weft_worker; { place((weft_self->b), (weft_self->i)); } } static const weft_tascell_operations weft_wind_7_operations = {WEFT_TASCELL_WIND, {"do_many_wind.tc", "queens", 32}, weft_wind_7_undo, weft_wind_7_redo, (void *)0, (void *)0};
static void weft_task_3_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct weft_task_3 *weft_self = (struct weft_task_3 *)(void *)weft_task; (void)weft_self; (void)weft_worker; (void)weft_up; { struct weft_many_5 weft_r6; weft_tascell_choice_begin(&weft_r6.weft_choice, weft_up, &weft_many_5_operations); weft_r6.b = (weft_self->b); weft_r6.weft_index = weft_self->weft_from; weft_r6.weft_end = weft_self->weft_to; weft_tascell_poll(weft_worker, &weft_r6.weft_choice.record); for (int i = weft_r6.weft_index; i < weft_r6.weft_end; i++) { weft_r6.weft_index = i; {
    if (is_free((weft_self->b), i))
 { { place((weft_self->b), i); } struct weft_wind_7 weft_r8; weft_tascell_wind_begin(&weft_r8.weft_wind, &weft_r6.weft_choice.record, &weft_wind_7_operations); weft_r8.b = (weft_self->b); weft_r8.i = i; { (weft_self->sum) += queens(weft_worker, &weft_r8.weft_wind.record, (weft_self->b)); } { displace((weft_self->b), i); } }
  } } while (weft_r6.weft_choice.given) { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_tascell_join(weft_worker, &weft_r6.weft_choice); (weft_self->sum) += weft_this->sum; weft_tascell_task_free(&weft_this->weft_header); } } }
 static const weft_tascell_kind weft_task_3_kind __attribute__((unused)) = {"queens", sizeof(struct weft_task_3), _Alignof(struct weft_task_3), {"do_many_wind.tc", "queens", 30}, weft_task_3_run, weft_task_3_pack_in, weft_task_3_unpack_in, weft_task_3_pack_out, weft_task_3_unpack_out, (void *)0};
struct weft_many_2 { weft_tascell_choice weft_choice; int weft_index; int weft_end; board * b ; }; static weft_tascell_task *weft_many_2_divide(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_many_2 *weft_self = (struct weft_many_2 *)weft_record; int weft_from = (int )weft_tascell_middle((long long)weft_self->weft_index, (long long)weft_self->weft_end); if (weft_from >= weft_self->weft_end) return (void *)0; struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_tascell_task_make(weft_worker, &weft_task_3_kind); if (!weft_this) return (void *)0; weft_this->weft_from = weft_from; weft_this->weft_to = weft_self->weft_end; weft_this->b_object = *(weft_self->b); weft_this->b = &weft_this->b_object; weft_this->sum = 0; weft_self->weft_end = weft_from; return &weft_this->weft_header; } static const weft_tascell_operations weft_many_2_operations = {WEFT_TASCELL_CHOICE, {"do_many_wind.tc", "queens", 30}, (void *)0, (void *)0, weft_many_2_divide, (void *)0};
struct weft_wind_10 { weft_tascell_wind weft_wind; board * b ; int i ; }; static void weft_wind_10_undo(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_wind_10 *weft_self = (struct weft_wind_10 *)weft_record; (void)weft_self; (void)weft_worker; { displace((weft_self->b), (weft_self->i)); } } static void weft_wind_10_redo(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_wind_10 *weft_self = (struct weft_wind_10 *)weft_record; (void)weft_self; (void)weft_worker; { place((weft_self->b), (weft_self->i)); } } static const weft_tascell_operations weft_wind_10_operations = {WEFT_TASCELL_WIND, {"do_many_wind.tc", "queens", 32}, weft_wind_10_undo, weft_wind_10_redo, (void *)0, (void *)0};
       long queens(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, board *b) { (void)weft_worker; (void)weft_up;
  if (b->row == b->n) return 1;
  long sum = 0;
 { struct weft_many_2 weft_r9; weft_tascell_choice_begin(&weft_r9.weft_choice, weft_up, &weft_many_2_operations); weft_r9.b = b; weft_r9.weft_index = ( b->row); weft_r9.weft_end = ( b->n); weft_tascell_poll(weft_worker, &weft_r9.weft_choice.record); for (int i = weft_r9.weft_index; i < weft_r9.weft_end; i++) { weft_r9.weft_index = i; {
    if (is_free(b, i))
 { { place(b, i); } struct weft_wind_10 weft_r11; weft_tascell_wind_begin(&weft_r11.weft_wind, &weft_r9.weft_choice.record, &weft_wind_10_operations); weft_r11.b = b; weft_r11.i = i; { sum += queens(weft_worker, &weft_r11.weft_wind.record, b); } { displace(b, i); } }
  } } while (weft_r9.weft_choice.given) { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_tascell_join(weft_worker, &weft_r9.weft_choice); sum += weft_this->sum; weft_tascell_task_free(&weft_this->weft_header); } }
  return sum;
}
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv);
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { (void)weft_worker; (void)weft_up;
  board b = {0};
  b.n = argc > 1 ? atoi(argv[1]) : 7;
  for (int i = 0; i < b.n; i++) b.column_of[i] = i;
  printf("%ld\n", queens(weft_worker, weft_up, &b));
  return 0; return 0;
}
static int weft_main_function(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { return weft_worker_main(weft_worker, weft_up, argc, argv); } int main(int argc, char **argv) { weft_tascell_options weft_options = {sizeof(weft_tascell_options), 0, 0, 0, 0, (void *)0, (void *)0}; return weft_tascell_main(weft_main_function, argc, argv, &weft_options); }
