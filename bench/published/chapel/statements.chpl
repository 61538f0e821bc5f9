/* What Chapel's statements for tasks cost on a tasking layer, and two programs that consist of them.
   It prints one record of bench/published/experiment.py. */
use Time, Random;

config const statements = 1000; // of each kind in a trial
config const trials = 5;        // the best one counts
config const height = 14;       // of the tree
config const elements = 1 << 17; // that are sorted

var line = '{"format": "weft-figures-1", "correct": true, "facts": {"version": "", "settings": ""}, "figures": {';
var isFirst = true;

proc note(name: string, ref seconds: [] real, per: int) {
  if !isFirst then line += ", ";
  isFirst = false;
  line += '"' + name + '": ' + (min reduce seconds / per):string;
}

class Node {
  var id: int;
  var left, right: unmanaged Node?;
}

proc grown(levels: int, id: int): unmanaged Node {
  const node = new unmanaged Node(id);
  if levels > 1 {
    cobegin {
      node.left = grown(levels - 1, id + 1);
      node.right = grown(levels - 1, id + (1 << (levels - 1)));
    }
  }
  return node;
}

proc sumAndDelete(node: unmanaged Node): int {
  var ofLeft, ofRight: int;
  const id = node.id;
  if node.left != nil {
    cobegin with (ref ofLeft, ref ofRight) {
      ofLeft = sumAndDelete(node.left!);
      ofRight = sumAndDelete(node.right!);
    }
  }
  delete node;
  return id + ofLeft + ofRight;
}

proc sort(ref values: [] real, levels: int, low: int, high: int) {
  if high - low < 8 {
    for place in low + 1..high {
      const value = values[place];
      var to = place;
      while to > low && values[to - 1] > value {
        values[to] = values[to - 1];
        to -= 1;
      }
      values[to] = value;
    }
    return;
  }
  const pivot = values[(low + high) / 2];
  var up = low, down = high;
  while up <= down {
    while values[up] < pivot do up += 1;
    while pivot < values[down] do down -= 1;
    if up <= down {
      values[up] <=> values[down];
      up += 1;
      down -= 1;
    }
  }
  serial levels <= 0 do cobegin with (ref values) {
    sort(values, levels - 1, low, down);
    sort(values, levels - 1, up, high);
  }
}

var seconds: [1..trials] real;
var whole$: sync int;
var fraction$: sync real;

for trial in 1..trials {
  var timer: Timer;
  var count: atomic int;
  timer.start();
  sync {
    for 1..statements do begin count.add(1);
  }
  seconds[trial] = timer.elapsed();
  if count.read() != statements then halt("a begin is lost");
}
note("begin_sync", seconds, statements);

for trial in 1..trials {
  var timer: Timer;
  timer.start();
  for value in 1..statements {
    begin whole$.writeEF(value);
    if whole$.readFE() != value then halt("a value is lost");
  }
  seconds[trial] = timer.elapsed();
}
note("begin_read", seconds, statements);

for trial in 1..trials {
  var timer: Timer;
  timer.start();
  for 1..statements do coforall 1..2 { }
  seconds[trial] = timer.elapsed();
}
note("coforall", seconds, statements);

for trial in 1..trials {
  var timer: Timer;
  var one, other: int;
  timer.start();
  for 1..statements do cobegin with (ref one, ref other) {
    one += 1;
    other += 1;
  }
  seconds[trial] = timer.elapsed();
  if one + other != 2 * statements then halt("a cobegin is lost");
}
note("cobegin", seconds, statements);

for trial in 1..trials {
  var timer: Timer;
  timer.start();
  for value in 1..10 * statements {
    whole$.writeEF(value);
    whole$.readFE();
  }
  seconds[trial] = timer.elapsed();
}
note("sync_int", seconds, 10 * statements);

for trial in 1..trials {
  var timer: Timer;
  timer.start();
  for 1..10 * statements {
    fraction$.writeEF(1.5);
    fraction$.readFE();
  }
  seconds[trial] = timer.elapsed();
}
note("sync_real", seconds, 10 * statements);

for trial in 1..trials {
  var timer: Timer;
  var ping$, pong$: sync int;
  timer.start();
  cobegin with (ref ping$, ref pong$) {
    for value in 1..statements {
      ping$.writeEF(value);
      pong$.readFE();
    }
    for 1..statements do pong$.writeEF(ping$.readFE());
  }
  seconds[trial] = timer.elapsed();
}
note("ping_pong", seconds, statements);

for trial in 1..trials {
  var timer: Timer;
  timer.start();
  const sum = sumAndDelete(grown(height, 1));
  seconds[trial] = timer.elapsed();
  const nodes = (1 << height) - 1;
  if sum != nodes * (nodes + 1) / 2 then halt("the tree's sum is wrong");
}
note("tree", seconds, 4 * (1 << (height - 1)));

var values: [1..elements] real;
for levels in (1, 10) {
  for trial in 1..trials {
    var timer: Timer;
    fillRandom(values, 314159 + 2 * trial);
    timer.start();
    sort(values, levels, 1, elements);
    seconds[trial] = timer.elapsed();
    for place in 2..elements do if values[place - 1] > values[place] then halt("the values are not sorted");
  }
  note("sort_" + levels:string, seconds, 1);
}
writeln(line, "}}");
