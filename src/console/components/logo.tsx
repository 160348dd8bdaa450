import logo from "../public/icon.svg?raw";

/** The hub's logo, decorative. Inline, because a file without a hash in its name would be requested with each page. */
export function Logo() {
  return <span class="logo" aria-hidden="true" dangerouslySetInnerHTML={{ __html: logo }} />;
}
