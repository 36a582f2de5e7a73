package gateway

import (
	"fmt"
	"net/http"
)

// page returns the answer of a gateway itself, in the words of common gateways: an ingress
// with no such backend for 404, and nginx for anything else.
func page(status int) *answer {
	text := "default backend - 404"
	if status != http.StatusNotFound {
		title := fmt.Sprintf("%d %s", status, reason(status))
		text = "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title +
			"</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
	}
	return &answer{status, http.Header{"Content-Type": {"text/html"}}, []byte(text)}
}

// reason returns nginx's wording, which differs from the standard's for two statuses.
func reason(status int) string {
	switch status {
	case http.StatusServiceUnavailable:
		return "Service Temporarily Unavailable"
	case http.StatusGatewayTimeout:
		return "Gateway Time-out"
	}
	return http.StatusText(status)
}
