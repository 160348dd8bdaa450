import logo from "../public/icon.svg?raw";

/** The hub's sign, decorative. In the page itself: a file that keeps its name would be asked for with each page. */
export function Logo() {
  return <span class="logo" aria-hidden="true" dangerouslySetInnerHTML={{ __html: logo }} />;
}
