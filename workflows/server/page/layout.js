// Lays a graph out in layers from the top down (Sugiyama). It uses no library, because the graphs are small, the known
// libraries are ten times as long as the whole page, and the page has no build step. layers.js orders the nodes; this
// file moves each node to the middle of its neighbours, and makes the paths of the edges.
//
//     const {nodes, edges, width, height} = layout([{id, width, height, first}], [{source, target}]);
//     nodes: Map of id -> {x, y, width, height}, x and y of the middle; edges: [{source, target, path}]
import { chain, layersOf, order, withoutCycles } from "./layers.js";

const gap = 22, layerGap = 34;

/// The positions nearest to the wanted ones, by least squares. Keeps order and gaps: colliding neighbours share a mean.
function settle(row, pullOf) {
  const blocks = [];
  let offset = 0;
  row.forEach((point, place) => {
    if (place) offset += (row[place - 1].width + point.width) / 2 + gap;
    point.offset = offset;
    const { wish, weight } = pullOf(point);
    blocks.push({ sum: (wish - offset) * weight, weight, points: [point] });
    for (let last; (last = blocks.at(-1)) && blocks.length > 1 &&
         last.sum / last.weight < blocks.at(-2).sum / blocks.at(-2).weight;) {
      blocks.pop();
      const before = blocks.at(-1);
      before.sum += last.sum;
      before.weight += last.weight;
      before.points.push(...last.points);
    }
  });
  for (const block of blocks) for (const point of block.points) point.x = block.sum / block.weight + point.offset;
}
/// Edges pull at their ends. Edges between passages pull hardest, so that long edges are straight.
function pull(point, near) {
  let sum = 0, weight = 0;
  for (const other of near) {
    const strength = point.real && other.real ? 3 : point.real || other.real ? 1 : 16;
    sum += other.x * strength;
    weight += strength;
  }
  return weight ? { wish: sum / weight, weight } : { wish: point.x, weight: .1 };
}
/// Groups of points for one straight line: the passages of a long edge, and chains of nodes.
function lines(links) {
  const found = links.filter((link) => link.points.length > 3).map((link) => link.points.slice(1, -1));
  const above = new Map(), below = new Map();
  const short = links.filter((link) => link.points.length === 2);
  for (const link of short.sort((a, b) => b.points[1].down.length - a.points[1].down.length)) {
    const [from, to] = link.points;
    if (below.has(from) || above.has(to)) continue;
    below.set(from, to);
    above.set(to, from);
  }
  for (const first of below.keys()) {
    if (above.has(first)) continue;
    const line = [first];
    while (below.has(line.at(-1))) line.push(below.get(line.at(-1)));
    found.push(line);
  }
  return found;
}
/// Moves a line's points to their middle, as far as their neighbours leave room; elsewhere the line bends.
function straighten(line, rows) {
  let low = -Infinity, high = Infinity, part = [];
  const move = () => {
    const middle = part.reduce((sum, point) => sum + point.x, 0) / part.length;
    for (const point of part) point.x = Math.min(high, Math.max(low, middle));
  };
  for (const point of line) {
    const left = rows[point.row][point.place - 1], right = rows[point.row][point.place + 1];
    const from = left ? left.x + (left.width + point.width) / 2 + gap : -Infinity;
    const to = right ? right.x - (right.width + point.width) / 2 - gap : Infinity;
    if (part.length && Math.max(low, from) > Math.min(high, to)) {
      move();
      [low, high, part] = [-Infinity, Infinity, []];
    }
    [low, high] = [Math.max(low, from), Math.min(high, to)];
    part.push(point);
  }
  move();
}
function place(rows, links) {
  for (const row of rows) settle(row, () => ({ wish: 0, weight: 1 }));
  for (let sweep = 0; sweep < 120; sweep++)
    for (const row of sweep % 2 ? [...rows].reverse() : rows)
      settle(row, (point) => pull(point, sweep >= 6 ? [...point.up, ...point.down]
        : sweep % 2 ? point.down : point.up));
  const straight = lines(links);
  for (let round = 0; round < 8; round++) for (const line of straight) straighten(line, rows);
  let y = 0;
  const all = rows.flat();
  const left = Math.min(...all.map((point) => point.x - point.width / 2));
  for (const row of rows) {
    const height = Math.max(...row.map((point) => point.height));
    for (const point of row) Object.assign(point, { x: point.x - left, y: y + height / 2, room: height });
    y += height + layerGap;
  }
  return { width: Math.max(...all.map((point) => point.x + point.width / 2)), height: y - layerGap };
}

/// The positions where a node's edges leave and arrive: side by side, ordered by their other ends.
function ports(links) {
  const sides = new Map();
  const add = (node, side, link, toward) => {
    const key = `${side} ${node.id}`;
    if (!sides.has(key)) sides.set(key, { node, ends: [] });
    sides.get(key).ends.push({ link, side, toward });
  };
  for (const link of links) {
    add(link.points[0], "out", link, link.points[1].x);
    add(link.points.at(-1), "in", link, link.points.at(-2).x);
  }
  for (const { node, ends } of sides.values()) {
    ends.sort((a, b) => a.toward - b.toward);
    const straight = ends.findIndex((end) => Math.abs(end.toward - node.x) < 1);
    const middle = straight < 0 ? (ends.length - 1) / 2 : straight;
    const step = Math.min(18, (node.width / 2 - 12) / Math.max(1, middle, ends.length - 1 - middle));
    ends.forEach((end, place) => { end.link[end.side] = node.x + (place - middle) * step; });
  }
}
function route(link) {
  const first = link.points[0], last = link.points.at(-1);
  const stops = [[link.out, first.y + first.height / 2]];
  for (const point of link.points.slice(1, -1))
    stops.push([point.x, point.y - point.room / 2], [point.x, point.y + point.room / 2]);
  stops.push([link.in, last.y - last.height / 2]);
  if (link.edge.turned) stops.reverse();
  const r = (number) => Math.round(number * 10) / 10;
  return stops.map(([x, y], at) => {
    if (!at) return `M${r(x)} ${r(y)}`;
    const [px, py] = stops[at - 1], middle = r((y + py) / 2);
    return Math.abs(px - x) < .1 ? `V${r(y)}` : `C${r(px)} ${middle} ${r(x)} ${middle} ${r(x)} ${r(y)}`;
  }).join("");
}

export function layout(nodes, given) {
  if (!nodes.length) return { nodes: new Map(), edges: [], width: 0, height: 0 };
  const known = new Set(nodes.map((node) => node.id)), seen = new Set();
  const edges = given.filter(({ source, target }) => {
    const key = JSON.stringify([source, target]);
    return known.has(source) && known.has(target) && !seen.has(key) && seen.add(key);
  }).map((edge) => ({ ...edge }));
  const loops = edges.filter((edge) => edge.source === edge.target);
  const links = withoutCycles(nodes, edges.filter((edge) => edge.source !== edge.target));
  const { rows, points } = chain(nodes, links, layersOf(nodes, links));
  order(rows);
  const { width, height } = place(rows, links);
  ports(links);
  const drawn = links.map((link) => ({ ...link.edge, path: route(link) }));
  for (const edge of loops) {
    const { x, y, width: w, height: h } = points.get(edge.source), right = x + w / 2;
    const bend = `C${right + 18} ${y - h / 2} ${right + 18} ${y + h / 2} ${right} ${y + h / 4}`;
    drawn.push({ ...edge, path: `M${right} ${y - h / 4}${bend}` });
  }
  return { nodes: points, edges: drawn, width: width + (loops.length ? 20 : 0), height };
}
