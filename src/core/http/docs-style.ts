/** The stylesheet of the reference page. One page, no script: light and dark follow the reader's system. */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--paper:#fbfaf7;--panel:#fff;--ink:#1d2320;--soft:#5d6863;--line:#e2e0d8;--accent:#0f6b54;--code:#f2f0e9;
--get:#0f6b54;--post:#8a4b00;--patch:#5b3fa8;--put:#5b3fa8;--delete:#a82a2a}
@media (prefers-color-scheme:dark){:root{--paper:#141816;--panel:#1b211e;--ink:#e8ece9;--soft:#9aa8a1;--line:#2d3531;--accent:#5fd0ae;--code:#232a27;
--get:#5fd0ae;--post:#f0b25c;--patch:#b9a3ff;--put:#b9a3ff;--delete:#ff8f8f}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
a{color:var(--accent)}a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.frame{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:80rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:2rem 1.25rem;font-size:.875rem}
nav h2{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.25rem 0 .25rem}
nav ul{list-style:none;margin:0;padding:0}nav a{display:block;padding:.2rem .5rem;border-radius:.375rem;color:inherit;text-decoration:none}
nav a:hover{background:var(--code)}
main{padding:2rem clamp(1rem,4vw,3rem) 6rem;min-width:0}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.02em}
h2{font-size:1.375rem;margin:3.5rem 0 1rem;letter-spacing:-.01em}h3{font-size:1.0625rem;margin:0}h4{font-size:.875rem;margin:1.25rem 0 .25rem;color:var(--soft)}
p{margin:.5rem 0;max-width:46rem}.lead{color:var(--soft);font-size:1.0625rem}
article{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem clamp(.875rem,2.5vw,1.5rem);margin:1rem 0}
.line{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem;margin:.5rem 0}
.verb{font:600 .75rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.35rem .5rem;border-radius:.375rem;border:1px solid currentColor}
.GET{color:var(--get)}.POST{color:var(--post)}.PATCH{color:var(--patch)}.PUT{color:var(--put)}.DELETE{color:var(--delete)}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}code{background:var(--code);padding:.1em .3em;border-radius:.25rem;overflow-wrap:anywhere}
.path{background:none;padding:0;font-weight:600}
pre{background:var(--code);border-radius:.5rem;padding:.75rem 1rem;overflow-x:auto;margin:.5rem 0}pre code{background:none;padding:0;overflow-wrap:normal}
.scope{font-size:.8125rem;color:var(--soft)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9375rem}
th{font-size:.8125rem;font-weight:600;color:var(--soft);text-align:left}
th,td{padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}
td:first-child,td:first-child code{white-space:nowrap}.dim{color:var(--soft)}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--accent);font-size:.9375rem}
@media (max-width:52rem){.frame{grid-template-columns:minmax(0,1fr)}nav{position:static;max-height:none;padding:1rem;border-bottom:1px solid var(--line)}
nav .groups{columns:2;column-gap:1rem}nav section{break-inside:avoid}main{padding-top:1.5rem}table{min-width:30rem}}
@media print{nav{display:none}.frame{display:block}article{break-inside:avoid}}
`;
