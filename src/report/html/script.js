(() => {
  const form = document.getElementById('filters');
  const count = document.getElementById('shown');
  const findings = [...document.querySelectorAll('.finding')];
  const executions = [...document.querySelectorAll('details.execution')];
  const apply = () => {
    const severities = new Set([...form.querySelectorAll('input:checked')].map(i => i.value));
    const rule = form.elements.rule.value, execution = form.elements.execution.value;
    let shown = 0;
    for (const f of findings) {
      const fits = severities.has(f.dataset.severity) && (!rule || f.dataset.rule === rule) && (!execution || f.dataset.execution === execution);
      f.hidden = !fits;
      shown += fits;
    }
    for (const e of executions) e.hidden = Boolean(execution) && e.dataset.execution !== execution;
    count.textContent = `${shown} of ${findings.length} findings shown`;
  };
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) { if (e.tagName === 'DETAILS') e.open = true; e.hidden = false; }
    target.scrollIntoView();
  };
  form.hidden = false;
  form.addEventListener('change', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', e => e.preventDefault());
  addEventListener('hashchange', reveal);
  apply();
  reveal();
})();
