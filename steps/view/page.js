'use strict';
(() => {
  const find = document.getElementById('find');
  const found = document.getElementById('found');
  const fold = document.getElementById('fold');
  const entries = Array.from(document.querySelectorAll('article'), (node) => ({ node }));
  const groups = Array.from(document.querySelectorAll('details.sub'), (node) => ({ node }));
  const folds = document.querySelectorAll('details.fold');
  const longest = 1000; // marks

  const marksOf = (root, words, ranges) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (ranges.length < longest && walker.nextNode()) {
      const text = walker.currentNode.data.toLowerCase();
      if (text.length !== walker.currentNode.data.length) continue; // places would be wrong
      for (let at = text.indexOf(words); at >= 0 && ranges.length < longest; at = text.indexOf(words, at + 1)) {
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + words.length);
        ranges.push(range);
      }
    }
  };
  const search = () => {
    const words = find.value.trim().toLowerCase();
    const ranges = [];
    let hits = 0;
    const look = (item, root) => {
      item.text ??= root.textContent.toLowerCase();
      item.hit = item.text.includes(words);
      if (item.hit && words) marksOf(root, words, ranges);
      return item.hit;
    };
    for (const entry of entries) {
      entry.node.hidden = !look(entry, entry.node);
      hits += !entry.node.hidden;
    }
    for (const part of folds) part.open = Boolean(words) && part.textContent.toLowerCase().includes(words);
    for (const group of groups) {
      group.was ??= group.node.open;
      const inside = group.node.querySelector('article:not([hidden])') !== null;
      const itself = look(group, group.node.firstElementChild);
      hits += itself;
      group.node.hidden = !inside && !itself;
      group.node.open = words ? inside : group.was;
      if (!words) delete group.was;
    }
    if (CSS.highlights) CSS.highlights.set('found', new Highlight(...ranges));
    found.textContent = words ? hits + ' of ' + (entries.length + groups.length) : '';
  };
  find.addEventListener('input', search);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.target === find) {
      find.value = '';
      search();
    } else if (event.key === '/' && event.target !== find && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      find.focus();
    }
  });
  fold.hidden = groups.length + folds.length === 0;
  fold.addEventListener('click', () => {
    const open = groups.some((group) => !group.node.open) || Array.from(folds).some((part) => !part.open);
    for (const group of groups) group.node.open = open;
    for (const part of folds) part.open = open;
  });
  document.getElementById('tools').hidden = false;
})();
