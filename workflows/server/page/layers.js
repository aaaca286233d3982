// The first half of a layout gives each node a layer and a place in it. It reverses edges that close a cycle, puts each
// node below its predecessors, adds points for long edges in the layers between, and orders the layers so that few
// edges cross.

const passage = 12;

/// Depth-first search from the nodes with `first`. An edge to a node on the present path closes a cycle.
export function withoutCycles(nodes, edges) {
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

/// Layers by the longest path to each node. Then nodes without predecessors move down to their successors.
export function layersOf(nodes, links) {
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

/// A chain of points for each link, with a point in each layer between its ends.
export function chain(nodes, links, layer) {
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
export function order(rows) {
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
