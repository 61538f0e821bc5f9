typedef struct sum { weft_tascell_task weft_header;
 long * numbers ;
 int n ;
 int weights [ 16 ] ;
 long total ; } sum; static const weft_tascell_kind sum_kind __attribute__((unused)); static void sum_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up);
static _Bool sum_task_send(const struct sum *weft_this, weft_tascell_bytes *weft_bytes) { (void)weft_this; (void)weft_bytes; { return weft_tascell_write(weft_bytes, weft_this->numbers, sizeof(long) * (size_t)weft_this->n); } return 1; }
static _Bool sum_task_recv(struct sum *weft_this, weft_tascell_bytes *weft_bytes) { (void)weft_this; (void)weft_bytes;
{
  weft_this->numbers = malloc(sizeof(long) * 16);
  return weft_this->numbers && weft_tascell_read(weft_bytes, weft_this->numbers, sizeof(long) * (size_t)weft_this->n);
} return 1; }
static _Bool sum_rslt_send(const struct sum *weft_this, weft_tascell_bytes *weft_bytes) { (void)weft_this; (void)weft_bytes; { (void)weft_bytes; } return 1; }
static _Bool sum_rslt_recv(struct sum *weft_this, weft_tascell_bytes *weft_bytes) { (void)weft_this; (void)weft_bytes; { (void)weft_bytes; } return 1; }
       long add(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, const long *numbers, const int *weights, int n);
struct weft_two_6 { weft_tascell_choice weft_choice; int n ; int half ; const long * numbers ; const int * weights ; }; static weft_tascell_task *weft_two_6_divide(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_two_6 *weft_self = (struct weft_two_6 *)weft_record; if (weft_self->weft_choice.given) return (void *)0; struct sum *weft_this = (struct sum *)(void *)weft_tascell_task_make(weft_worker, &sum_kind); if (!weft_this) return (void *)0;
    {
      weft_this->n = (weft_self->n) - (weft_self->half);
      weft_this->numbers = malloc(sizeof(long) * 16);
      memcpy(weft_this->numbers, (weft_self->numbers) + (weft_self->half), sizeof(long) * (size_t)((weft_self->n) - (weft_self->half)));
      for (int i = 0; i < (weft_self->n) - (weft_self->half); i++) weft_this->weights[i] = (weft_self->weights)[(weft_self->half) + i];
    } return &weft_this->weft_header; }
 static double weft_two_6_guard(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_two_6 *weft_self = (struct weft_two_6 *)weft_record; (void)weft_self; (void)weft_worker; return (
           (weft_self->n) < 4 ? 0.5 : 0.0); }
 static const weft_tascell_operations weft_two_6_operations = {WEFT_TASCELL_CHOICE, {"transfer.tc", "add", 28}, (void *)0, (void *)0, weft_two_6_divide, weft_two_6_guard};
       long add(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, const long *numbers, const int *weights, int n)
{ (void)weft_worker; (void)weft_up;
  if (n == 1) return numbers[0] * weights[0];
  long left, right;
  int half = n / 2;
 { struct weft_two_6 weft_r7; weft_tascell_choice_begin(&weft_r7.weft_choice, weft_up, &weft_two_6_operations); weft_r7.n = n; weft_r7.half = half; weft_r7.numbers = numbers; weft_r7.weights = weights; weft_tascell_poll(weft_worker, &weft_r7.weft_choice.record); { left = add(weft_worker, &weft_r7.weft_choice.record, numbers, weights, half); } if (!weft_r7.weft_choice.given) {
         right = add(weft_worker, weft_up, numbers + half, weights + half, n - half); } else { struct sum *weft_this = (struct sum *)(void *)weft_tascell_join(weft_worker, &weft_r7.weft_choice);
    { right = weft_this->total; free(weft_this->numbers); } weft_tascell_task_free(&weft_this->weft_header); } }
  return left + right;
}
static void sum_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct sum *weft_this = (struct sum *)(void *)weft_task; (void)weft_this; (void)weft_worker; (void)weft_up; { weft_this->total = add(weft_worker, weft_up, weft_this->numbers, weft_this->weights, weft_this->n); } }
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up);
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up)
{ (void)weft_worker; (void)weft_up;
  long numbers[16];
  int weights[16];
  for (int i = 0; i < 16; i++) { numbers[i] = i; weights[i] = i % 3; }
 { struct sum *weft_this = (struct sum *)(void *)weft_tascell_task_make(weft_worker, &sum_kind); if (weft_this) { { (*weft_this).n = 1; (*weft_this).numbers = numbers; (*weft_this).weights[0] = 1; } (void)weft_tascell_broadcast(weft_worker, &weft_this->weft_header); } }
  printf("%ld\n", add(weft_worker, weft_up, numbers, weights, 16));
  return 0; return 0;
}
static int weft_main_function(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { (void)argc; (void)argv; return weft_worker_main(weft_worker, weft_up); } int main(int argc, char **argv) { weft_tascell_options weft_options = {sizeof(weft_tascell_options), 0, 0, 0, 0, (void *)0, (void *)0}; return weft_tascell_main(weft_main_function, argc, argv, &weft_options); }
 static _Bool sum_pack_in(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct sum *weft_this = (const struct sum *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->n, sizeof(weft_this->n))) return 0; if (!weft_tascell_write(weft_bytes, weft_this->weights, (unsigned long)(weft_this->n) * sizeof(weft_this->weights[0]))) return 0; return sum_task_send(weft_this, weft_bytes); } static _Bool sum_unpack_in(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct sum *weft_this = (struct sum *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->n, sizeof(weft_this->n))) return 0; if (!weft_tascell_read(weft_bytes, weft_this->weights, (unsigned long)(weft_this->n) * sizeof(weft_this->weights[0]))) return 0; return sum_task_recv(weft_this, weft_bytes); } static _Bool sum_pack_out(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct sum *weft_this = (const struct sum *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->total, sizeof(weft_this->total))) return 0; return sum_rslt_send(weft_this, weft_bytes); } static _Bool sum_unpack_out(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct sum *weft_this = (struct sum *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->total, sizeof(weft_this->total))) return 0; return sum_rslt_recv(weft_this, weft_bytes); } static const weft_tascell_kind sum_kind __attribute__((unused)) = {"sum", sizeof(struct sum), _Alignof(struct sum), {"transfer.tc", "sum", 6}, sum_run, sum_pack_in, sum_unpack_in, sum_pack_out, sum_unpack_out, (void *)0};
