package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
)

// The storage of docs/guides/go.md runs on SQLite in a child process, because Go has no driver in its standard library:
// one statement a line, and one result a line.
func init() { sql.Register("child", childDriver{}) }

func openDatabase() *sql.DB {
	db, err := sql.Open("child", "")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range schema {
		if _, err := db.Exec(statement); err != nil {
			log.Fatal(err)
		}
	}
	return db
}

type childDriver struct{}

func (childDriver) Open(string) (driver.Conn, error) {
	command := exec.Command(os.Getenv("SQLITE_NODE"), os.Getenv("SQLITE_PROGRAM"))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &connection{in, bufio.NewReader(out)}, command.Start()
}

type connection struct {
	in  io.WriteCloser
	out *bufio.Reader
}

type result struct {
	Error   string
	Columns []string
	Rows    [][]any
}

func (connection *connection) run(statement string, values []driver.Value) (*result, error) {
	texts := make([]any, len(values))
	for index, value := range values {
		texts[index] = value
		if content, isBytes := value.([]byte); isBytes {
			texts[index] = map[string]string{"base64": base64.StdEncoding.EncodeToString(content)}
		}
	}
	line, err := json.Marshal(map[string]any{"statement": statement, "values": texts})
	if err != nil {
		return nil, err
	}
	if _, err := connection.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	answer, err := connection.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	read := &result{}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	// A float would be scanned as text with an exponent.
	decoder.UseNumber()
	if err := decoder.Decode(read); err != nil {
		return nil, err
	}
	if read.Error != "" {
		return nil, errors.New(read.Error)
	}
	return read, nil
}

func (connection *connection) Prepare(text string) (driver.Stmt, error) {
	return &statement{connection, text}, nil
}
func (connection *connection) Close() error { return connection.in.Close() }
func (connection *connection) Begin() (driver.Tx, error) {
	_, err := connection.run("BEGIN IMMEDIATE", nil)
	return connection, err
}
func (connection *connection) Commit() error {
	_, err := connection.run("COMMIT", nil)
	return err
}
func (connection *connection) Rollback() error {
	_, err := connection.run("ROLLBACK", nil)
	return err
}

type statement struct {
	connection *connection
	text       string
}

func (statement *statement) Close() error  { return nil }
func (statement *statement) NumInput() int { return -1 }
func (statement *statement) Exec(values []driver.Value) (driver.Result, error) {
	_, err := statement.connection.run(statement.text, values)
	return driver.ResultNoRows, err
}
func (statement *statement) Query(values []driver.Value) (driver.Rows, error) {
	read, err := statement.connection.run(statement.text, values)
	return &rows{read}, err
}

type rows struct{ left *result }

func (rows *rows) Columns() []string { return rows.left.Columns }
func (rows *rows) Close() error      { return nil }
func (rows *rows) Next(into []driver.Value) error {
	if len(rows.left.Rows) == 0 {
		return io.EOF
	}
	for index, value := range rows.left.Rows[0] {
		into[index] = value
		if wrapped, isWrapped := value.(map[string]any); isWrapped {
			content, err := base64.StdEncoding.DecodeString(wrapped["base64"].(string))
			if err != nil {
				return err
			}
			into[index] = content
		}
		if number, isNumber := value.(json.Number); isNumber {
			whole, err := number.Int64()
			if err != nil {
				return err
			}
			into[index] = whole
		}
	}
	rows.left.Rows = rows.left.Rows[1:]
	return nil
}
