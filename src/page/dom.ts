type Child = Node | string

type Attributes = Readonly<Record<string, string | boolean>>

/** Makes an element. Texts become text nodes, so whatever a name holds is shown as it is. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') made.setAttribute(name, value)
    else made.toggleAttribute(name, value)
  }
  made.append(...children)
  return made
}

/** Makes a label with its control. */
export const labelled = (text: string, control: HTMLElement): HTMLLabelElement =>
  element('label', { class: 'field' }, element('span', {}, text), control)

const SVG = 'http://www.w3.org/2000/svg'

/** Makes a small drawing of one line, which screen readers pass over. */
export const pathIcon = (line: string): SVGElement => {
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('viewBox', '0 0 16 16')
  icon.setAttribute('class', 'sign')
  icon.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', line)
  icon.append(path)
  return icon
}
