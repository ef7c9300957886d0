package client

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a hub token or a storage token. It prints as [secret] with every verb and in JSON; only Reveal returns its text.
// The zero value is no secret at all.
type Secret struct {
	// Behind a pointer, because fmt asks no method of an unexported field, and prints a pointer there as an address.
	text *string
}

// NewSecret keeps a text secret, for example a hub token from the environment.
func NewSecret(text string) Secret { return Secret{&text} }

const printed = "[secret]"

// Reveal returns the text.
func (secret Secret) Reveal() string {
	if secret.text == nil {
		return ""
	}
	return *secret.text
}

// IsZero reports whether there is no secret. The empty text is one: it is a mistake, and New says so.
func (secret Secret) IsZero() bool { return secret.text == nil }

// String returns [secret].
func (secret Secret) String() string { return printed }

// Format implements fmt.Formatter.
func (secret Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, printed) }

// MarshalText implements encoding.TextMarshaler, also for JSON.
func (secret Secret) MarshalText() ([]byte, error) { return []byte(printed), nil }

// LogValue implements slog.LogValuer.
func (secret Secret) LogValue() slog.Value { return slog.StringValue(printed) }
