package verify

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// problem is a refusal as it goes over the wire (RFC 9457).
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      Code   `json:"code"`
	RequestID string `json:"requestId"`
	// Error is what Hugging Face clients show.
	Error   string `json:"error"`
	Missing string `json:"missing,omitempty"`
}

const (
	realm             = `Bearer realm="latchkey"`
	retryAfterSeconds = "5"
	// What Python clients look for, to tell a wrong token from a missing repository.
	invalidCredentials = "Invalid credentials in Authorization header"
)

func (refusal Refusal) answer(writer http.ResponseWriter, request *http.Request) {
	status, challenge := refusal.Status(), meanings[refusal.Code].challenge
	requestID := newRequestID()
	header := writer.Header()
	header.Set("Content-Type", mediaType(request.Header.Values("Accept")))
	header.Set("X-Request-Id", requestID)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Error-Message", refusal.Detail)
	if status == http.StatusUnauthorized {
		header.Set("X-Error-Message", invalidCredentials)
		header.Set("WWW-Authenticate", realm)
	}
	if challenge != "" {
		description := strings.ReplaceAll(refusal.Detail, `"`, "'")
		header.Set("WWW-Authenticate", realm+`, error="`+challenge+`", error_description="`+description+`"`)
	}
	if refusal.Code == GateNotReady {
		header.Set("Retry-After", retryAfterSeconds)
	}
	body, _ := json.Marshal(refusal.problem(requestID))
	header.Set("Content-Length", strconv.Itoa(len(body)))
	writer.WriteHeader(status)
	_, _ = writer.Write(body)
}

func (refusal Refusal) problem(requestID string) problem {
	missing := ""
	if refusal.Code == InsufficientScope {
		missing = string(Write)
	}
	return problem{
		Type:      "urn:latchkey:refusal:" + string(refusal.Code),
		Title:     meanings[refusal.Code].title,
		Status:    refusal.Status(),
		Detail:    refusal.Detail,
		Code:      refusal.Code,
		RequestID: requestID,
		Error:     refusal.Detail,
		Missing:   missing,
	}
}

func mediaType(accept []string) string {
	named := strings.Join(accept, ",")
	if strings.Contains(named, "application/json") && !strings.Contains(named, "application/problem+json") {
		return "application/json"
	}
	return "application/problem+json"
}

// newRequestID has 130 random bits in letters that are safe everywhere.
func newRequestID() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	id := make([]byte, 26)
	_, _ = rand.Read(id)
	for index := range id {
		id[index] = letters[id[index]&31]
	}
	return string(id)
}
