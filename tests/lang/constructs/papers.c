typedef struct tfib { weft_tascell_task weft_header; int n ; int r ; } tfib; static const weft_tascell_kind tfib_kind __attribute__((unused)); static void tfib_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up);
       int fib(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int n);
static void tfib_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct tfib *weft_this = (struct tfib *)(void *)weft_task; (void)weft_this; (void)weft_worker; (void)weft_up; { (*weft_this).r = fib(weft_worker, weft_up, (*weft_this).n); } }
       int fib(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int n);
struct weft_two_3 { weft_tascell_choice weft_choice; int n ; }; static weft_tascell_task *weft_two_3_divide(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_two_3 *weft_self = (struct weft_two_3 *)weft_record; if (weft_self->weft_choice.given) return (void *)0; struct tfib *weft_this = (struct tfib *)(void *)weft_tascell_task_make(weft_worker, &tfib_kind); if (!weft_this) return (void *)0;
    { (*weft_this).n = (weft_self->n) - 2; } return &weft_this->weft_header; }
 static const weft_tascell_operations weft_two_3_operations = {WEFT_TASCELL_CHOICE, {"papers.tc", "fib", 17}, (void *)0, (void *)0, weft_two_3_divide, (void *)0};
       int fib(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int n)
{ (void)weft_worker; (void)weft_up;
  if (n <= 2) return 1;
  int s1, s2;
 { struct weft_two_3 weft_r4; weft_tascell_choice_begin(&weft_r4.weft_choice, weft_up, &weft_two_3_operations); weft_r4.n = n; weft_tascell_poll(weft_worker, &weft_r4.weft_choice.record); {
    s1 = fib(weft_worker, &weft_r4.weft_choice.record, n - 1); } if (!weft_r4.weft_choice.given) {
    s2 = fib(weft_worker, weft_up, n - 2); } else { struct tfib *weft_this = (struct tfib *)(void *)weft_tascell_join(weft_worker, &weft_r4.weft_choice);
    { s2 = (*weft_this).r; } weft_tascell_task_free(&weft_this->weft_header); } }
  return s1 + s2;
}
typedef struct nqueens { weft_tascell_task weft_header; int n ; int k ; int i0 ; int i1 ; int a [ 20 ] ; int lb [ 2 * 20 ] ; int rb [ 2 * 20 ] ; int s ; } nqueens; static const weft_tascell_kind nqueens_kind __attribute__((unused)); static void nqueens_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up);
       int nq(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int n, int k, int i0, int i1, int a[], int *lb, int *rb);
static void nqueens_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct nqueens *weft_this = (struct nqueens *)(void *)weft_task; (void)weft_this; (void)weft_worker; (void)weft_up; {
  (*weft_this).s = nq(weft_worker, weft_up, (*weft_this).n, (*weft_this).k, (*weft_this).i0, (*weft_this).i1, (*weft_this).a, (*weft_this).lb, (*weft_this).rb);
} }
       int nq(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int n, int k, int i0, int i1, int a[], int *lb, int *rb);
struct weft_many_7 { weft_tascell_choice weft_choice; int weft_index; int weft_end; int n ; int k ; int (*a) ; int * lb ; int * rb ; }; static weft_tascell_task *weft_many_7_divide(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_many_7 *weft_self = (struct weft_many_7 *)weft_record; int weft_from = (int )weft_tascell_middle((long long)weft_self->weft_index, (long long)weft_self->weft_end); if (weft_from >= weft_self->weft_end) return (void *)0; struct nqueens *weft_this = (struct nqueens *)(void *)weft_tascell_task_make(weft_worker, &nqueens_kind); if (!weft_this) return (void *)0; int x = weft_from; int y = weft_self->weft_end; (void)x; (void)y;
    {
      (*weft_this).n = (weft_self->n); (*weft_this).k = (weft_self->k); (*weft_this).i0 = x; (*weft_this).i1 = y;
      for (int j = 0; j < (weft_self->n); j++) (*weft_this).a[j] = (weft_self->a)[j];
      for (int j = 0; j < 2 * (weft_self->n) - 1; j++) { (*weft_this).lb[j] = (weft_self->lb)[j]; (*weft_this).rb[j] = (weft_self->rb)[j]; }
    } weft_self->weft_end = weft_from; return &weft_this->weft_header; }
 static const weft_tascell_operations weft_many_7_operations = {WEFT_TASCELL_CHOICE, {"papers.tc", "nq", 42}, (void *)0, (void *)0, weft_many_7_divide, (void *)0};
struct weft_wind_9 { weft_tascell_wind weft_wind; int (*a) ; int i ; int k ; int ai ; int * lb ; int * rb ; int n ; }; static void weft_wind_9_undo(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_wind_9 *weft_self = (struct weft_wind_9 *)weft_record; (void)weft_self; (void)weft_worker;
          { (weft_self->rb)[(weft_self->ai) - (weft_self->k) + (weft_self->n) - 1] = 0; (weft_self->lb)[(weft_self->ai) + (weft_self->k)] = 0; (weft_self->a)[(weft_self->k)] = (weft_self->a)[(weft_self->i)]; (weft_self->a)[(weft_self->i)] = (weft_self->ai); } } static void weft_wind_9_redo(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct weft_wind_9 *weft_self = (struct weft_wind_9 *)weft_record; (void)weft_self; (void)weft_worker;
          { (weft_self->a)[(weft_self->i)] = (weft_self->a)[(weft_self->k)]; (weft_self->a)[(weft_self->k)] = (weft_self->ai); (weft_self->lb)[(weft_self->ai) + (weft_self->k)] = 1; (weft_self->rb)[(weft_self->ai) - (weft_self->k) + (weft_self->n) - 1] = 1; } }
 static const weft_tascell_operations weft_wind_9_operations = {WEFT_TASCELL_WIND, {"papers.tc", "nq", 37}, weft_wind_9_undo, weft_wind_9_redo, (void *)0, (void *)0};
       int nq(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int n, int k, int i0, int i1, int a[], int *lb, int *rb)
{ (void)weft_worker; (void)weft_up;
  int s = 0;
 { struct weft_many_7 weft_r8; weft_tascell_choice_begin(&weft_r8.weft_choice, weft_up, &weft_many_7_operations); weft_r8.n = n; weft_r8.k = k; weft_r8.a = a; weft_r8.lb = lb; weft_r8.rb = rb; weft_r8.weft_index = ( i0); weft_r8.weft_end = ( i1); weft_tascell_poll(weft_worker, &weft_r8.weft_choice.record); for (int i = weft_r8.weft_index; i < weft_r8.weft_end; i++) { weft_r8.weft_index = i;
    {
      int ai = a[i];
      if (!(lb[ai + k] || rb[ai - k + n - 1]))
 {
          { a[i] = a[k]; a[k] = ai; lb[ai + k] = 1; rb[ai - k + n - 1] = 1; } struct weft_wind_9 weft_r10; weft_tascell_wind_begin(&weft_r10.weft_wind, &weft_r8.weft_choice.record, &weft_wind_9_operations); weft_r10.a = a; weft_r10.i = i; weft_r10.k = k; weft_r10.ai = ai; weft_r10.lb = lb; weft_r10.rb = rb; weft_r10.n = n;
          { if (k == n - 1) s += 1; else s += nq(weft_worker, &weft_r10.weft_wind.record, n, k + 1, k + 1, n, a, lb, rb); }
          { rb[ai - k + n - 1] = 0; lb[ai + k] = 0; a[k] = a[i]; a[i] = ai; } }
    } } while (weft_r8.weft_choice.given) { struct nqueens *weft_this = (struct nqueens *)(void *)weft_tascell_join(weft_worker, &weft_r8.weft_choice);
    { s += (*weft_this).s; } weft_tascell_task_free(&weft_this->weft_header); } }
  return s;
}
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv);
       int weft_worker_main(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv)
{ (void)weft_worker; (void)weft_up;
  int n = argc > 1 ? atoi(argv[1]) : 6;
  int a[20], lb[2*20] = {0}, rb[2*20] = {0};
  for (int i = 0; i < n; i++) a[i] = i;
  printf("%d %d\n", fib(weft_worker, weft_up, 15), nq(weft_worker, weft_up, n, 0, 0, n, a, lb, rb));
  return 0; return 0;
}
static int weft_main_function(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { return weft_worker_main(weft_worker, weft_up, argc, argv); } int main(int argc, char **argv) { weft_tascell_options weft_options = {sizeof(weft_tascell_options), 0, 0, 0, 0, (void *)0, (void *)0}; return weft_tascell_main(weft_main_function, argc, argv, &weft_options); }
 static _Bool tfib_pack_in(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct tfib *weft_this = (const struct tfib *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->n, sizeof(weft_this->n))) return 0; return 1; } static _Bool tfib_unpack_in(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct tfib *weft_this = (struct tfib *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->n, sizeof(weft_this->n))) return 0; return 1; } static _Bool tfib_pack_out(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct tfib *weft_this = (const struct tfib *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->r, sizeof(weft_this->r))) return 0; return 1; } static _Bool tfib_unpack_out(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct tfib *weft_this = (struct tfib *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->r, sizeof(weft_this->r))) return 0; return 1; } static const weft_tascell_kind tfib_kind __attribute__((unused)) = {"tfib", sizeof(struct tfib), _Alignof(struct tfib), {"papers.tc", "tfib", 4}, tfib_run, tfib_pack_in, tfib_unpack_in, tfib_pack_out, tfib_unpack_out, (void *)0};
 static _Bool nqueens_pack_in(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct nqueens *weft_this = (const struct nqueens *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->n, sizeof(weft_this->n))) return 0; if (!weft_tascell_write(weft_bytes, &weft_this->k, sizeof(weft_this->k))) return 0; if (!weft_tascell_write(weft_bytes, &weft_this->i0, sizeof(weft_this->i0))) return 0; if (!weft_tascell_write(weft_bytes, &weft_this->i1, sizeof(weft_this->i1))) return 0; if (!weft_tascell_write(weft_bytes, weft_this->a, sizeof(weft_this->a))) return 0; if (!weft_tascell_write(weft_bytes, weft_this->lb, sizeof(weft_this->lb))) return 0; if (!weft_tascell_write(weft_bytes, weft_this->rb, sizeof(weft_this->rb))) return 0; return 1; } static _Bool nqueens_unpack_in(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct nqueens *weft_this = (struct nqueens *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->n, sizeof(weft_this->n))) return 0; if (!weft_tascell_read(weft_bytes, &weft_this->k, sizeof(weft_this->k))) return 0; if (!weft_tascell_read(weft_bytes, &weft_this->i0, sizeof(weft_this->i0))) return 0; if (!weft_tascell_read(weft_bytes, &weft_this->i1, sizeof(weft_this->i1))) return 0; if (!weft_tascell_read(weft_bytes, weft_this->a, sizeof(weft_this->a))) return 0; if (!weft_tascell_read(weft_bytes, weft_this->lb, sizeof(weft_this->lb))) return 0; if (!weft_tascell_read(weft_bytes, weft_this->rb, sizeof(weft_this->rb))) return 0; return 1; } static _Bool nqueens_pack_out(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { const struct nqueens *weft_this = (const struct nqueens *)(const void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_write(weft_bytes, &weft_this->s, sizeof(weft_this->s))) return 0; return 1; } static _Bool nqueens_unpack_out(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes) { struct nqueens *weft_this = (struct nqueens *)(void *)weft_task; (void)weft_this; (void)weft_bytes; if (!weft_tascell_read(weft_bytes, &weft_this->s, sizeof(weft_this->s))) return 0; return 1; } static const weft_tascell_kind nqueens_kind __attribute__((unused)) = {"nqueens", sizeof(struct nqueens), _Alignof(struct nqueens), {"papers.tc", "nqueens", 25}, nqueens_run, nqueens_pack_in, nqueens_unpack_in, nqueens_pack_out, nqueens_unpack_out, (void *)0};
