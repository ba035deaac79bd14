import { useEffect, useRef } from 'preact/hooks'
import { route } from './route.js'

/** After navigation: scrolls to the top, and moves the focus to the page if the focused element is gone. */
export function useArrival(): void {
  const { page, rest } = route.value
  const isFirst = useRef(true)
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    // Next to the list, an exchange is in view already.
    if (page !== 'requests' || matchMedia('(width < 64rem)').matches) scrollTo(0, 0)
    // The browser drops the focus of removed elements only after it has drawn the page.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
      })
    )
  }, [page, rest.join('/')])
}
