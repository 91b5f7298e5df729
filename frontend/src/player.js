// Controls of the graph player. The server computed how each step looks; this script applies it and handles input.

const TRAVEL_TIME = 260 // ms, of a gradient along an edge
const STEP_TIME = 900 // ms, while playing
const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches
const ZOOMS = [0.5, 0.7, 0.85, 1, 1.25, 1.6, 2]
const upgraded = new WeakSet()

class Player {
  constructor(root) {
    this.root = root
    this.data = JSON.parse(root.querySelector('template[data-steps]').content.textContent)
    this.step = this.data.at
    this.timer = 0
    this.zoom = 0
    this.elements = new Map()
    for (const element of root.querySelectorAll('[data-el]')) {
      const found = this.elements.get(element.dataset.el) ?? []
      this.elements.set(element.dataset.el, [...found, { element, slots: [...element.querySelectorAll('[data-t]')] }])
    }
    this.shown = this.statesAt(this.step)
    this.chains = [...root.querySelector('[data-chains]').content.children]
    this.chain = root.querySelector('[data-chain]')
    this.cells = [...root.querySelectorAll('.ribbon [data-step]')]
    this.lines = [...root.querySelectorAll('.transcript [data-step]')]
    for (const element of root.querySelectorAll('[data-script]')) element.hidden = false
    this.markCurrentStep()
    this.listen()
    if (this.followHash()) return
    this.reveal()
    if (this.pace && !reducedMotion()) this.playWhenVisible()
  }

  get last() {
    return this.data.steps.length
  }

  // Milliseconds per step of a player that plays by itself. It stops at the first wrong step and does not change the URL.
  get pace() {
    return Number(this.root.dataset.plays ?? 0)
  }

  get lastToPlay() {
    return (this.pace && this.data.first) || this.last
  }

  statesAt(step) {
    return Object.assign({}, this.data.initial, ...this.data.steps.slice(0, step).map(({ changes }) => changes))
  }

  // -- showing a step

  show(step, { share = true } = {}) {
    const next = Math.max(1, Math.min(this.last, step))
    if (!this.last || next === this.step) return
    const forward = next === this.step + 1
    this.step = next
    this.apply(this.statesAt(next))
    this.chain.replaceChildren(...this.chains[next - 1].cloneNode(true).childNodes)
    this.markCurrentStep()
    this.reveal()
    const { travels, line } = this.data.steps[next - 1]
    if (forward && travels) this.travel(travels.slice(1))
    if (share && !this.pace) history.replaceState(history.state, '', `#${this.cells[next - 1].id}`)
    if (line) this.sendLine(line, false)
  }

  // A state is [class, {slot: text}].
  apply(states) {
    for (const [key, state] of Object.entries(states)) {
      if (this.shown[key] === state) continue
      for (const { element, slots } of this.elements.get(key) ?? []) {
        element.setAttribute('class', state[0])
        for (const slot of slots) slot.textContent = state[1][slot.dataset.t] ?? ''
      }
    }
    this.shown = states
  }

  markCurrentStep() {
    for (const element of [...this.cells, ...this.lines]) {
      if (Number(element.dataset.step) === this.step) element.setAttribute('aria-current', 'step')
      else element.removeAttribute('aria-current')
    }
    for (const cell of this.cells) cell.tabIndex = cell.hasAttribute('aria-current') ? 0 : -1
    const cell = this.cells[this.step - 1]
    if (cell) {
      const ribbon = cell.parentElement
      ribbon.scrollLeft = cell.offsetLeft - ribbon.offsetLeft - ribbon.clientWidth / 2
    }
    const at = this.root.querySelector('[data-at]')
    if (at) at.textContent = this.step
    for (const button of this.root.querySelectorAll('[data-do]')) {
      const atThisStep = { start: 1, back: 1, step: this.last, end: this.last, first: this.data.first }[button.dataset.do] === this.step
      if (atThisStep && button.dataset.do !== 'first') button.setAttribute('aria-disabled', 'true')
      else button.removeAttribute('aria-disabled')
    }
  }

  // Scrolls each drawing as far as necessary to show the current node. Two drawings may scroll separately.
  reveal() {
    for (const view of this.root.querySelectorAll('.view')) {
      const nodes = [...view.querySelectorAll('.graph .node.live, .graph .node.first')].filter((node) => node.getClientRects().length)
      const node = nodes.find((live) => live.matches('.live.first')) ?? nodes.find((live) => live.matches('.live')) ?? nodes[0]
      if (node) for (const box of [view, this.root.querySelector('.canvas')]) scrollInto(box, node)
    }
  }

  travel(name) {
    if (reducedMotion()) return
    for (const view of ['o', 'e', 'y']) {
      const parts = (this.elements.get(view + name) ?? []).map((part) => part.element)
      for (const pill of parts.filter((part) => 'pill' in part.dataset)) {
        const line = parts.find((part) => part.ownerSVGElement === pill.ownerSVGElement && part !== pill)
        if (pill.getClientRects().length) this.slide(pill.firstElementChild, line.querySelector('.line'))
      }
    }
  }

  slide(pill, path) {
    const rest = pill.dataset.rest ?? pill.getAttribute('transform')
    pill.dataset.rest = rest
    const [x, y] = rest.match(/-?\d+/g).map(Number)
    const length = path.getTotalLength()
    const started = performance.now()
    const run = (pill.dataset.run = `${started}`)
    const frame = (now) => {
      if (pill.dataset.run !== run) return
      const left = Math.max(0, 1 - (now - started) / TRAVEL_TIME) ** 2
      const from = path.getPointAtLength(length * (0.5 + 0.5 * left))
      const middle = path.getPointAtLength(length * 0.5)
      const place = [x + from.x - middle.x, y + from.y - middle.y].map((value) => value.toFixed(1))
      pill.setAttribute('transform', left ? `translate(${place[0]} ${place[1]})` : rest)
      if (left) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }

  // -- playing

  play() {
    if (this.timer) return this.pause()
    if (this.step >= this.lastToPlay) this.show(1)
    this.chain.setAttribute('aria-live', 'off')
    this.setPlaying(true)
    this.timer = setInterval(() => this.tick(), this.pace || STEP_TIME)
  }

  playWhenVisible() {
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return
      observer.disconnect()
      if (!this.timer && this.step === this.data.at) this.play()
    }, { threshold: 0.5 })
    observer.observe(this.root.querySelector('.canvas'))
  }

  tick() {
    if (!this.root.isConnected) return this.pause()
    if (this.step + 1 >= this.lastToPlay) this.chain.setAttribute('aria-live', 'polite')
    this.show(this.step + 1)
    if (this.step === this.lastToPlay) this.pause()
  }

  pause() {
    clearInterval(this.timer)
    this.timer = 0
    this.chain.setAttribute('aria-live', 'polite')
    this.setPlaying(false)
  }

  setPlaying(playing) {
    const button = this.root.querySelector('[data-do=play]')
    if (!button) return
    button.classList.toggle('playing', playing)
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play')
  }

  // -- input

  actions = {
    start: () => this.go(1),
    back: () => this.go(this.step - 1),
    step: () => this.go(this.step + 1),
    end: () => this.go(this.last),
    play: () => this.play(),
    first: () => this.data.first && this.go(this.data.first),
    in: () => this.setZoom(1),
    out: () => this.setZoom(-1),
    fit: () => this.setZoom(0),
    line: () => this.data.steps[this.step - 1]?.line && this.sendLine(this.data.steps[this.step - 1].line, true),
    transcript: () => this.toggle('.transcript'),
    keys: () => this.toggle('.keys'),
    pair: () => selectNext(this.root.querySelector('input[value=one]')),
    shows: () => selectNext(this.root.querySelector('input[value=values]')),
  }

  keys = {
    ArrowLeft: 'back', ArrowRight: 'step', Home: 'start', End: 'end', ' ': 'play', w: 'first', l: 'line', t: 'transcript',
    s: 'pair', v: 'shows', '+': 'in', '=': 'in', '-': 'out', '−': 'out', 0: 'fit', '?': 'keys',
  }

  go(step) {
    if (this.timer) this.pause()
    this.show(step)
  }

  toggle(selector) {
    const details = this.root.querySelector(selector)
    details.open = !details.open
  }

  setZoom(direction) {
    const graphs = [...this.root.querySelectorAll('.graph')]
    const visible = graphs.find((graph) => graph.getClientRects().length)
    if (!visible) return
    const current = visible.getBoundingClientRect().width / visible.viewBox.baseVal.width
    const next = direction > 0 ? ZOOMS.find((zoom) => zoom > current * 1.05) : ZOOMS.findLast((zoom) => zoom < current * 0.95)
    for (const graph of graphs) {
      graph.dataset.size ??= `${graph.getAttribute('width')} ${graph.getAttribute('height')}`
      const box = graph.viewBox.baseVal
      const zoom = next ?? (direction > 0 ? ZOOMS.at(-1) : ZOOMS[0])
      const [width, height] = direction ? [box.width * zoom, box.height * zoom] : graph.dataset.size.split(' ')
      graph.classList.toggle('zoomed', Boolean(direction))
      graph.setAttribute('width', width)
      graph.setAttribute('height', height)
    }
  }

  sendLine(line, focus) {
    document.dispatchEvent(new CustomEvent('gradus:line', { detail: { line, focus, player: this.root.dataset.player } }))
  }

  listen() {
    this.root.addEventListener('keydown', (event) => this.onKey(event))
    this.root.addEventListener('click', (event) => this.onClick(event))
    for (const kind of ['pointerover', 'focusin']) this.root.addEventListener(kind, (event) => this.showReadout(event.target))
    for (const kind of ['pointerleave', 'focusout']) this.root.addEventListener(kind, () => this.showReadout(null))
  }

  onKey(event) {
    const typed = event.target.closest('input:not([type=radio]), textarea, select, [contenteditable]')
    if (typed || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if ([' ', 'Enter'].includes(event.key) && event.target.matches('input')) {
      event.preventDefault()
      return selectNext(event.target, { focus: true })
    }
    if (event.key === ' ' && event.target.closest('button, summary')) return
    const action = this.keys[event.key] ?? this.keys[event.key.toLowerCase()]
    if (!action) return
    event.preventDefault()
    const inRibbon = this.cells.includes(event.target)
    this.actions[action]()
    if (inRibbon) this.cells[this.step - 1].focus({ preventScroll: true })
  }

  onClick(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
    const line = event.target.closest('[data-line]')
    if (line) this.sendLine(Number(line.dataset.line), true)
    const step = event.target.closest('.ribbon a, .transcript li a')
    const action = event.target.closest('[data-do]')
    if (!step && !action) return
    event.preventDefault()
    if (action) this.actions[action.dataset.do]()
    else this.go(Number(step.closest('[data-step]').dataset.step))
  }

  showReadout(target) {
    const readout = this.root.querySelector('[data-readout]')
    const part = target?.closest?.('[data-full], .node, [data-pill]')
    const text = part && (part.dataset.full ?? part.querySelector('[data-t=t]')?.textContent)
    readout.hidden = !text
    readout.textContent = text ?? ''
  }

  followHash() {
    const index = this.cells.findIndex((cell) => cell.id && `#${cell.id}` === location.hash)
    if (index >= 0) this.show(index + 1, { share: false })
    return index >= 0
  }

  // Goes to the first step of a line. A player that is at this line already stays, or its own event would move it.
  followLine(line) {
    if (this.data.steps[this.step - 1]?.line === line) return
    const index = this.data.steps.findIndex((step) => step.line === line)
    if (this.timer) this.pause()
    if (index >= 0) this.show(index + 1, { share: false })
  }
}

// Selects the next radio button of a group. Arrow keys cannot do that: anywhere in the player they go to the next step.
function selectNext(input, { focus = false } = {}) {
  if (!input) return
  const choices = [...input.closest('fieldset').querySelectorAll('input')]
  const next = choices[(choices.findIndex((choice) => choice.checked) + 1) % choices.length]
  next.click()
  if (focus) next.focus()
}

function scrollInto(box, node) {
  const [inner, outer] = [node.getBoundingClientRect(), box.getBoundingClientRect()]
  if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2
}

const players = new Set()

export function upgrade(scope = document) {
  const inside = scope.querySelectorAll?.('[data-player]') ?? []
  for (const root of [...(scope.matches?.('[data-player]') ? [scope] : []), ...inside]) {
    if (upgraded.has(root)) continue
    upgraded.add(root)
    players.add(new Player(root))
  }
}

function connectedPlayers() {
  for (const player of players) if (!player.root.isConnected) players.delete(player)
  return [...players]
}

if (typeof document !== 'undefined') {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => upgrade())
  else upgrade()
  for (const name of ['htmx:load', 'htmx:afterSettle']) document.addEventListener(name, (event) => upgrade(event.target))
  document.addEventListener('gradus:at-line', (event) => connectedPlayers().forEach((player) => player.followLine(event.detail.line)))
  addEventListener('hashchange', () => {
    for (const player of connectedPlayers()) if (player.followHash()) player.root.scrollIntoView({ block: 'nearest' })
  })
}
