// Compares the times of random cron expressions with those of cron-parser, half of them near a change of clocks.
//
// usage: node cron_parser.mjs PROGRAM [SEED [COUNT]]
import { spawnSync } from 'node:child_process';
import cronParser from 'cron-parser';

const [program, seed = '1', count = '10000'] = process.argv.slice(2);
const { CronExpressionParser } = cronParser;

let state = Number(seed);
function below(n) {  // mulberry32
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}
const one_of = (list) => list[below(list.length)];

// Zones whose rules no newer version of the time zone data changes, and some of their changes of clocks.
const zones = {
  'UTC': ['2024-02-29T00:00Z'],
  'Asia/Kolkata': ['2024-12-31T18:30Z'],
  'Europe/Berlin': ['2024-03-31T01:00Z', '2024-10-27T01:00Z', '2031-03-30T01:00Z'],
  'America/New_York': ['2024-03-10T07:00Z', '2024-11-03T06:00Z', '2007-11-04T06:00Z'],
  'America/Sao_Paulo': ['2017-10-15T03:00Z', '2018-02-18T02:00Z'],
  'Australia/Lord_Howe': ['2024-10-05T15:30Z'],
  'Pacific/Apia': ['2011-12-30T10:00Z', '2012-03-31T14:00Z'],
  'America/St_Johns': ['2010-11-07T02:31Z', '2010-03-14T03:31Z'],
};
const months = ['jan', 'FEB', 'Mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'MON', 'Tue', 'wed', 'thu', 'fri', 'sat'];

// A list without repeated values, which cron-parser refuses.
function field(low, high, stars) {
  if (below(100) < stars) return '*';
  const from = low + below(high - low + 1), to = from + below(high - from + 1);
  switch (below(7)) {
    case 0: return `*/${1 + below(high - low)}`;
    case 1: return `${from}/${1 + below(high - low)}`;
    case 2: return `${from}-${to}`;
    case 3: return `${from}-${to}/${1 + below(high - low)}`;
    case 4: return from === to ? `${from}` : `${from},${to}`;
    default: return `${from}`;
  }
}
const named = (text, names, low) => (/^\d+$/.test(text) && below(2) ? (names[text - low] ?? text) : text);
function expression() {
  const day = below(20) === 0 ? 'L' : field(1, 31, 70);
  const weekday = one_of([() => `${below(7)}L`, () => `${below(7)}#${1 + below(5)}`,
    ...Array(15).fill(() => named(field(0, 7, 70), weekdays, 0))])();
  return [field(0, 59, 15), field(0, 23, 30), day, named(field(1, 12, 80), months, 1), weekday].join(' ');
}
function time(zone) {
  if (below(2)) return Date.parse('2005-01-01T00:00Z') / 1000 + below(30 * 366 * 86400);
  return Date.parse(one_of(zones[zone])) / 1000 + below(4 * 86400) - 3 * 86400;
}

const cases = Array.from({ length: Number(count) }, () => {
  const zone = one_of(Object.keys(zones));
  return { zone, expression: expression(), after: time(zone) };
});
const input = cases.map((each) => `${each.zone}\t${each.expression}\t${each.after}\n`).join('');
const run = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
if (run.status !== 0) throw new Error(`${program} ends with ${run.status ?? run.signal}: ${run.stderr}`);
const ours = run.stdout.trimEnd().split('\n').map((answer) => (answer.includes(' never comes') ? 'never' : answer));

function theirs({ zone, expression, after }) {
  try {
    const times = CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(after * 1000) });
    return times.take(3).map((each) => each.getTime() / 1000).join(', ');
  } catch (error) {
    return error.message === 'Invalid explicit day of month definition' ? 'never' : error.message;
  }
}
const offset = (zone, time) => new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  .formatToParts(time * 1000).find((part) => part.type === 'timeZoneName').value;
const near_change = (zone, time) => offset(zone, time - 2 * 86400) !== offset(zone, time + 2 * 86400);

// Mistakes of cron-parser 5.10.6: each has its zone, and is within two days of a change of clocks.
const faults = {
  'it refuses a list with both numbers of Sunday': (each, found) => found.endsWith('duplicate values found: 0'),
  'it finds no time, or not the skipped and repeated ones, when clocks change by half an hour': (each, found, time) =>
    each.zone === 'Australia/Lord_Howe' && near_change(each.zone, time),
  'it is an hour late, or takes the second of two midnights, when clocks change at 00:01': (each, found, time) =>
    each.zone === 'America/St_Johns' && near_change(each.zone, time),
};
const counts = Object.fromEntries(Object.keys(faults).map((fault) => [fault, 0]));
let wrong = 0;
cases.forEach((each, n) => {
  const found = theirs(each), times = ours[n].split(', ');
  if (found === ours[n]) return;
  const first = times.findIndex((time, at) => time !== found.split(', ')[at]);
  const fault = Object.keys(faults).find((name) => faults[name](each, found, Number(times[first])));
  if (fault) counts[fault]++;
  else if (++wrong <= 10) console.log(`${each.zone} "${each.expression}" after ${each.after}: ${ours[n]}; cron-parser: ${found}`);
});
for (const [fault, count] of Object.entries(counts)) console.log(`${count} times: ${fault}`);
console.log(`${cases.length} cases, ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
