struct weft_worker_data { long calls; int first; };
static void weft_worker_start(weft_tascell_worker *weft_worker) { (*(struct weft_worker_data *)weft_worker->data).first = ((int)weft_worker->index); }
       long count(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int depth);
struct weft_task_3 { weft_tascell_task weft_header; int depth ; long right ; }; static const weft_tascell_kind weft_task_3_kind;
 static _Bool weft_task_3_pack_in(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct weft_task_3 *weft_this = (const struct weft_task_3 *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->depth, sizeof weft_this->depth)) return 0; return 1; } static _Bool weft_task_3_unpack_in(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->depth, sizeof weft_this->depth)) return 0; return 1; } static _Bool weft_task_3_pack_out(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct weft_task_3 *weft_this = (const struct weft_task_3 *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->right, sizeof weft_this->right)) return 0; return 1; } static _Bool weft_task_3_unpack_out(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->right, sizeof weft_this->right)) return 0; return 1; }
static void weft_task_3_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct weft_task_3 *weft_self = (struct weft_task_3 *)(void *)weft_task; (void)weft_self; (void)weft_worker; (void)weft_up;
                              (weft_self->right) = count(weft_worker, weft_up, (weft_self->depth) - 1); }
 static const weft_tascell_kind weft_task_3_kind __attribute__((unused)) = {"count", sizeof(struct weft_task_3), _Alignof(struct weft_task_3), {"worker_data.tc", "count", 12}, weft_task_3_run, weft_task_3_pack_in, weft_task_3_unpack_in, weft_task_3_pack_out, weft_task_3_unpack_out, (void *)0};
struct weft_two_2 { weft_tascell_choice weft_choice; int depth ; }; static weft_tascell_task *weft_two_2_divide(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_two_2 *weft_self = (struct weft_two_2 *)weft_record; if (weft_self->weft_choice.given) return (void *)0; struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_tascell_task_make(weft_worker, &weft_task_3_kind); if (!weft_this) return (void *)0; weft_this->depth = (weft_self->depth); return &weft_this->weft_header; } static const weft_tascell_operations weft_two_2_operations = {WEFT_TASCELL_CHOICE, {"worker_data.tc", "count", 12}, (void *)0, (void *)0, weft_two_2_divide, (void *)0};
       long count(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int depth)
{ (void)weft_worker; (void)weft_up;
  (*(struct weft_worker_data *)weft_worker->data).calls++;
  weft_tascell_set_probability(weft_worker, depth > 3 ? 1.0 : 0.5);
  if (depth == 0) return (*(struct weft_worker_data *)weft_worker->data).first == ((int)weft_worker->index) && ((int)weft_worker->mode) == 0 && !(weft_worker->mode == WEFT_TASCELL_BACKTRACKING) && (weft_worker->probability) > 0.4;
  long left, right;
 { struct weft_two_2 weft_r5; weft_tascell_choice_begin(&weft_r5.weft_choice, weft_up, &weft_two_2_operations); weft_r5.depth = depth; weft_tascell_poll(weft_worker, &weft_r5.weft_choice.record); { left = count(weft_worker, &weft_r5.weft_choice.record, depth - 1); } if (!weft_r5.weft_choice.given) {
                              right = count(weft_worker, weft_up, depth - 1); } else { struct weft_task_3 *weft_this = (struct weft_task_3 *)(void *)weft_tascell_join(weft_worker, &weft_r5.weft_choice); right = weft_this->right; weft_tascell_task_free(&weft_this->weft_header); } }
  return left + right;
}
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up);
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up)
{ (void)weft_worker; (void)weft_up;
  printf("%ld\n", count(weft_worker, weft_up, 10));
  return 0; return 0;
}
static int weft_main_function(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { (void)argc; (void)argv; return weft_worker_main(weft_worker, weft_up); } int main(int argc, char **argv) { weft_tascell_options weft_options = {sizeof(weft_tascell_options), 0, 0, sizeof(struct weft_worker_data), _Alignof(struct weft_worker_data), weft_worker_start, (void *)0}; return weft_tascell_main(weft_main_function, argc, argv, &weft_options); }
