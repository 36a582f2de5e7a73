package verification

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"
)

// browser is a headless Chromium with one page, and the page's errors.
type browser struct {
	ctx      context.Context
	close    func() error
	patience time.Duration

	mu         sync.Mutex
	complaints []string
}

// openBrowser starts Chromium with an empty profile, which is removed when it is closed.
// patience is the time limit for a single action.
func openBrowser(ctx context.Context, program string, patience time.Duration) (*browser, error) {
	profile, err := os.MkdirTemp("", "guestbook-browser-")
	if err != nil {
		return nil, err
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(profile), chromedp.WSURLReadTimeout(patience),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
	}
	for _, flag := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
		// Shared memory is small in many containers.
		"disable-dev-shm-usage",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocated, end := chromedp.NewExecAllocator(ctx, options...)
	page, _ := chromedp.NewContext(allocated) // chromedp.Cancel ends it, and waits
	b := &browser{ctx: page, patience: patience}
	var listening sync.WaitGroup
	b.close = func() error {
		err := chromedp.Cancel(page)
		end()
		listening.Wait()
		return errors.Join(err, os.RemoveAll(profile))
	}
	if err := chromedp.Do(page); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", program, err), b.close())
	}
	messages := chromedp.Console(page)
	listening.Go(func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			b.note(message)
		}
	})
	return b, nil
}

// note records the errors that a developer would see in the console: a script that failed,
// or an action that the page's policy forbids.
func (b *browser) note(message chromedp.ConsoleMessage) {
	if !message.IsException() && message.Type != "error" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, strings.TrimSpace(message.Text+" "+message.URL))
}

func (b *browser) complained() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) == 0 {
		return nil
	}
	return fmt.Errorf("the browser complains: %s", strings.Join(b.complaints, "; "))
}

// act is one action of a visitor.
type act = chromedp.Action[chromedp.Void]

// do performs actions of a visitor, within the time limit.
func (b *browser) do(what string, acts ...act) error {
	ctx, cancel := context.WithTimeout(b.ctx, b.patience)
	defer cancel()
	if err := chromedp.Do(ctx, acts...); err != nil {
		// The text of the page is more informative than a timeout.
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		return fmt.Errorf("%s: %w; the page says: %s", what, errors.Join(err, b.complained()), strings.Join(strings.Fields(text), " "))
	}
	return b.complained()
}

// click clicks on the element that a selector finds. If a live page replaces the element in
// between, it is looked for again: nothing was clicked on.
func click(selector string) act {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		for {
			done, err := chromedp.Click(chromedp.CSS(selector))(ctx, target)
			var refused *cdproto.Error
			if ctx.Err() != nil || !errors.As(err, &refused) || !strings.Contains(refused.Message, "Could not find node") {
				return done, err
			}
		}
	}
}

// until waits for an expression of the page to be true. The browser may leave the page for
// another in the meantime.
func until(expression string) act {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		for {
			holds, err := chromedp.Evaluate[bool](expression)(ctx, target)
			if err == nil && holds {
				return chromedp.Void{}, nil
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return chromedp.Void{}, fmt.Errorf("%w while waiting for %s", ctx.Err(), expression)
			}
		}
	}
}
