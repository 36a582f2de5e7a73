package verification

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// screen is a size at which pictures are taken.
type screen struct {
	name          string
	width, height int64
	colours       string
}

// photograph takes pictures of the current page, wide and narrow, in light and dark mode. A
// page that is wider than its screen is an error.
func (g *Guestbook) photograph(b *browser, name string) error {
	if g.Screenshots == "" {
		return nil
	}
	if err := os.MkdirAll(g.Screenshots, 0o755); err != nil {
		return err
	}
	for _, s := range []screen{
		{"narrow-dark", 390, 844, "dark"}, {"narrow", 390, 844, "light"},
		{"desktop-dark", 1280, 900, "dark"}, {"desktop", 1280, 900, "light"},
	} {
		if err := b.do("take a picture", s.emulate()...); err != nil {
			return err
		}
		overflows, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth"))
		if err != nil {
			return err
		}
		if overflows {
			return fmt.Errorf("the page %s is wider than a screen of %d pixels", name, s.width)
		}
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(g.Screenshots, name+"-"+s.name+".png"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s screen) emulate() []act {
	return []act{
		chromedp.EmulateViewport(s.width, s.height, chromedp.EmulateScale(2)),
		func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: s.colours}, {Name: "prefers-reduced-motion", Value: "reduce"},
				},
			})
			return chromedp.Void{}, err
		},
	}
}
