// Lays a graph out in layers, from the top down, as Sugiyama did: edges that close a cycle are turned round, each node
// stands below those that lead to it, long edges pass through the layers between on points of their own, the layers are
// ordered so that few edges cross, and each node is moved to the middle of its neighbours.
//
//     const {nodes, edges, width, height} = layout([{id, width, height, first}], [{source, target}]);
//     nodes: Map of id -> {x, y, width, height}, x and y of the middle; edges: [{source, target, path}]

const gap = 22, layerGap = 34, passage = 12;

/// Follows the edges, from the nodes that are `first`: one back to a node that is being followed closes a cycle.
function withoutCycles(nodes, edges) {
  const out = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) out.get(edge.source).push(edge);
  const state = new Map();
  for (const root of [...nodes].sort((a, b) => (b.first ?? 0) - (a.first ?? 0))) {
    if (state.has(root.id)) continue;
    const stack = [{ id: root.id, next: 0 }];
    state.set(root.id, "open");
    while (stack.length) {
      const top = stack.at(-1), edge = out.get(top.id)[top.next++];
      if (!edge) {
        state.set(top.id, "done");
        stack.pop();
      } else if (state.get(edge.target) === "open") edge.turned = true;
      else if (!state.has(edge.target)) {
        state.set(edge.target, "open");
        stack.push({ id: edge.target, next: 0 });
      }
    }
  }
  return edges.map((edge) => ({ edge, from: edge.turned ? edge.target : edge.source,
    to: edge.turned ? edge.source : edge.target }));
}

/// The longest way to each node; then what nothing leads to moves down to those that it leads to.
function layersOf(nodes, links) {
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  const into = new Map(nodes.map((node) => [node.id, 0]));
  for (const link of links) into.set(link.to, into.get(link.to) + 1);
  const ready = nodes.filter((node) => !into.get(node.id)).map((node) => node.id);
  const roots = new Set(ready);
  for (let id; (id = ready.shift()) !== undefined;)
    for (const link of links) {
      if (link.from !== id) continue;
      layer.set(link.to, Math.max(layer.get(link.to), layer.get(id) + 1));
      into.set(link.to, into.get(link.to) - 1);
      if (!into.get(link.to)) ready.push(link.to);
    }
  for (const id of roots) {
    const below = links.filter((link) => link.from === id).map((link) => layer.get(link.to));
    if (below.length) layer.set(id, Math.min(...below) - 1);
  }
  return layer;
}

/// A chain of points for each link, one in each layer that it passes.
function chain(nodes, links, layer) {
  const depth = Math.max(-1, ...layer.values()) + 1;
  const rows = Array.from({ length: depth }, () => []);
  const points = new Map();
  const put = (point, row) => rows[row].push(Object.assign(point, { up: [], down: [], row })) && point;
  for (const node of nodes) points.set(node.id, put({ ...node, real: true }, layer.get(node.id)));
  for (const link of links) {
    link.points = [points.get(link.from)];
    for (let row = layer.get(link.from) + 1; row < layer.get(link.to); row++)
      link.points.push(put({ width: passage, height: 0 }, row));
    link.points.push(points.get(link.to));
    link.points.slice(1).forEach((point, place) => {
      point.up.push(link.points[place]);
      link.points[place].down.push(point);
    });
  }
  return { rows, points };
}

function crossings(rows) {
  let sum = 0;
  for (const row of rows) {
    const ends = row.flatMap((point, a) => point.down.map((below) => [a, below.place]));
    for (let i = 0; i < ends.length; i++)
      for (let j = i + 1; j < ends.length; j++)
        if ((ends[i][0] - ends[j][0]) * (ends[i][1] - ends[j][1]) < 0) sum++;
  }
  return sum;
}
function order(rows) {
  const number = () => rows.forEach((row) => row.forEach((point, place) => { point.place = place; }));
  number();
  let best = rows.map((row) => [...row]), fewest = crossings(rows);
  for (let sweep = 0; sweep < 16 && fewest; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      for (const point of row) {
        const near = down ? point.up : point.down;
        point.wish = near.length ? near.reduce((sum, other) => sum + other.place, 0) / near.length : point.place;
      }
      row.sort((a, b) => a.wish - b.wish || a.place - b.place);
      row.forEach((point, place) => { point.place = place; });
    }
    const now = crossings(rows);
    if (now < fewest) [best, fewest] = [rows.map((row) => [...row]), now];
  }
  best.forEach((row, place) => { rows[place] = row; });
  number();
}

/// As near to the wishes as the order and the gaps allow (least squares: neighbours that collide share a mean).
function settle(row, wishes) {
  const blocks = [];
  let offset = 0;
  row.forEach((point, place) => {
    if (place) offset += (row[place - 1].width + point.width) / 2 + gap;
    point.offset = offset;
    const weight = point.real ? 1 : 3;
    blocks.push({ sum: (wishes[place] - offset) * weight, weight, points: [point] });
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
function place(rows) {
  for (const row of rows) settle(row, row.map(() => 0));
  for (let sweep = 0; sweep < 24; sweep++)
    for (const row of sweep % 2 ? [...rows].reverse() : rows)
      settle(row, row.map((point) => {
        const near = sweep > 20 ? [...point.up, ...point.down] : sweep % 2 ? point.down : point.up;
        return near.length ? near.reduce((sum, other) => sum + other.x, 0) / near.length : point.x;
      }));
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

/// Where the edges of a node leave and arrive: side by side, in the order of where they go.
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
    const step = Math.min(18, (node.width - 24) / ends.length);
    ends.forEach((end, place) => { end.link[end.side] = node.x + (place - (ends.length - 1) / 2) * step; });
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
    return px === x ? `V${r(y)}` : `C${r(px)} ${middle} ${r(x)} ${middle} ${r(x)} ${r(y)}`;
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
  const { width, height } = place(rows);
  ports(links);
  const drawn = links.map((link) => ({ ...link.edge, path: route(link) }));
  for (const edge of loops) {
    const { x, y, width: w, height: h } = points.get(edge.source), right = x + w / 2;
    const bend = `C${right + 18} ${y - h / 2} ${right + 18} ${y + h / 2} ${right} ${y + h / 4}`;
    drawn.push({ ...edge, path: `M${right} ${y - h / 4}${bend}` });
  }
  return { nodes: points, edges: drawn, width: width + (loops.length ? 20 : 0), height };
}
