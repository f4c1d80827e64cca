(() => {
  const form = document.getElementById('filters');
  const count = document.getElementById('shown');
  const list = document.getElementById('list');
  const findings = [...list.children];
  const executions = [...document.querySelectorAll('details.execution')];
  const boxes = [...form.querySelectorAll('input[type=checkbox]')];
  const fields = ['q', 'rule', 'execution', 'group'].map(name => form.elements[name]);
  const texts = new Map();
  // Summaries of executions are searched, and all of a finding.
  const text = e => {
    if (!texts.has(e)) texts.set(e, (e.tagName === 'DETAILS' ? e.firstElementChild : e).textContent.toLowerCase());
    return texts.get(e);
  };
  const group = by => {
    for (const h of list.querySelectorAll(':scope > .group')) h.remove();
    const groups = new Map();
    for (const f of findings) {
      const key = by ? f.dataset[by] : '';
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(f);
    }
    for (const [key, all] of groups) {
      const shown = all.filter(f => !f.hidden).length;
      if (by) {
        const h = document.createElement('h3'), n = document.createElement('span');
        h.className = 'group';
        h.hidden = !shown;
        n.textContent = ` ${shown}`;
        h.append(by === 'rule' ? `${key} ${all[0].dataset.name}` : key, n);
        list.append(h);
      }
      list.append(...all);
    }
  };
  const apply = () => {
    const severities = new Set(boxes.filter(i => i.checked).map(i => i.value));
    const [q, rule, execution] = fields.map(f => f.value);
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const says = e => words.every(w => text(e).includes(w));
    let shown = 0;
    for (const f of findings) {
      const d = f.dataset;
      f.hidden = !(severities.has(d.severity) && (!rule || d.rule === rule) && (!execution || d.execution.split(' ').includes(execution)) && says(f));
      shown += !f.hidden;
    }
    const keys = new Set(words.length ? findings.filter(f => !f.hidden).flatMap(f => f.dataset.execution.split(' ')) : []);
    for (const e of executions) {
      const key = e.dataset.execution;
      e.hidden = Boolean(execution && key !== execution) || !(says(e) || keys.has(key));
    }
    group(form.elements.group.value);
    count.textContent = `${shown} of ${findings.length} findings shown`;
  };
  const remember = () => {
    const state = new URLSearchParams();
    for (const f of fields) if (f.value) state.set(f.name, f.value);
    if (!boxes.every(i => i.checked)) state.set('severity', boxes.filter(i => i.checked).map(i => i.value).join(','));
    const query = state.toString();
    try { history.replaceState(null, '', (query ? `?${query}` : location.pathname) + location.hash); } catch { }
  };
  const recall = () => {
    const state = new URLSearchParams(location.search);
    for (const f of fields) {
      const value = state.get(f.name) ?? '';
      if (f.type === 'search' || [...f.options].some(o => o.value === value)) f.value = value;
    }
    const severities = state.get('severity');
    if (severities !== null) for (const i of boxes) i.checked = severities.split(',').includes(i.value);
  };
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) { if (e.tagName === 'DETAILS') e.open = true; e.hidden = false; }
    target.scrollIntoView();
  };
  const change = () => { apply(); remember(); };
  form.hidden = false;
  form.addEventListener('input', change);
  form.addEventListener('reset', () => setTimeout(change));
  form.addEventListener('submit', e => e.preventDefault());
  // The link is one without the script as well; with it, it is also copied.
  list.addEventListener('click', e => {
    const link = e.target.closest('a.here');
    if (!link || !navigator.clipboard) return;
    navigator.clipboard.writeText(new URL(link.hash, location.href.split(/[?#]/)[0]).href)
      .then(() => { count.textContent = 'Link copied'; }, () => { });
  });
  addEventListener('hashchange', reveal);
  recall();
  apply();
  reveal();
})();
