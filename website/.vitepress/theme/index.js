import Theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

/** In place of VitePress's own, which has no landmark. */
function NotFound() {
  const link = h('a', { href: '/' }, 'Go to the start page')
  return h('main', { class: 'NotFound vp-doc' }, [h('h1', 'This page does not exist'), link])
}

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'not-found': NotFound }),
}
