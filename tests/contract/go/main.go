// The flows of the product's page, in Go. What is not a call of the page checks what came of it.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

const deadline = 60 * time.Second

var (
	api   = os.Getenv("API_URL") + "/organizations/" + os.Getenv("ORG")
	fleet = os.Getenv("FLEET")
)

// newKey returns 128 random bits as an idempotency key.
func newKey() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// call is one request as the page makes it: a JSON body or none, and a key where there is one.
func call(method, path string, body any, idempotencyKey ...string) (*http.Response, error) {
	var buf bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&buf).Encode(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequest(method, api+path, &buf)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("STREAMTIME_TOKEN"))
	req.Header.Set("Content-Type", "application/json")
	if len(idempotencyKey) > 0 {
		req.Header.Set("Idempotency-Key", idempotencyKey[0])
	}
	return http.DefaultClient.Do(req)
}

// decode wants an answer with this status and reads it.
func decode(resp *http.Response, err error, status int, into any) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != status {
		return fmt.Errorf("%s %s: %s", resp.Request.Method, resp.Request.URL, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

type replicator struct {
	Generation         int    `json:"generation"`
	ObservedGeneration int    `json:"observed_generation"`
	Status             string `json:"status"`
	TopicWhitelist     string `json:"topic_whitelist"`
	LagAlertThreshold  int    `json:"lag_alert_threshold"`
}

func expect(status string, generation int) (replicator, error) {
	for end := time.Now().Add(deadline); ; time.Sleep(200 * time.Millisecond) {
		var r replicator
		resp, err := call("GET", "/kafka-replicator/orders-dr/", nil)
		if err := decode(resp, err, 200, &r); err != nil {
			return r, err
		}
		if r.Status == status && r.ObservedGeneration == generation {
			return r, nil
		}
		if time.Now().After(end) {
			return r, fmt.Errorf("never %s at generation %d: %+v", status, generation, r)
		}
	}
}

func create() error {
	resp, err := call("POST", "/kafka-replicator/", map[string]any{
		"identifier":               "orders-dr",
		"provider":                 "MirrorMaker2",
		"source_kafka_id":          os.Getenv("SOURCE_CLUSTER"),
		"destination_kafka_id":     os.Getenv("DESTINATION_CLUSTER"),
		"replication_mode":         "active-passive",
		"topic_whitelist":          "orders.*",
		"lag_alert_threshold":      10000,
		"lag_alert_threshold_unit": "messages",
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	var saved struct {
		Generation int `json:"generation"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&saved); err != nil {
		return err
	}
	resp, err = call("POST", "/kafka-replicator/orders-dr/reconcile/",
		map[string]any{"generation": saved.Generation}, newKey())
	return checkOperation(resp, err, 1)
}

func checkOperation(resp *http.Response, err error, generation int) error {
	var operation struct {
		Generation int `json:"generation"`
	}
	if err := decode(resp, err, 202, &operation); err != nil {
		return err
	}
	if operation.Generation != generation {
		return fmt.Errorf("an operation for generation %d", operation.Generation)
	}
	return nil
}

func status() error {
	resp, err := call("GET", "/kafka-replicator/orders-dr/", nil)
	var r replicator
	if err := decode(resp, err, 200, &r); err != nil {
		return err
	}
	fmt.Println(r.Status)
	_, err = expect("Healthy", 1)
	return err
}

func change() error {
	resp, err := call("PATCH", "/kafka-replicator/orders-dr/", json.RawMessage(`{"topic_whitelist": "orders.*,payments.*", "lag_alert_threshold": 5000}`))
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	var saved struct {
		Generation int `json:"generation"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&saved); err != nil {
		return err
	}
	resp, err = call("POST", "/kafka-replicator/orders-dr/reconcile/",
		map[string]any{"generation": saved.Generation}, newKey())
	if err := checkOperation(resp, err, 2); err != nil {
		return err
	}
	r, err := expect("Healthy", 2)
	if err == nil && (r.TopicWhitelist != "orders.*,payments.*" || r.LagAlertThreshold != 5000) {
		err = fmt.Errorf("it is %+v", r)
	}
	return err
}

func watch() error {
	resp, err := call("GET", "/fleet/"+fleet+"/alerts/", nil)
	var alerts struct {
		Results []any `json:"results"`
	}
	if err := decode(resp, err, 200, &alerts); err != nil {
		return err
	}
	if len(alerts.Results) != 0 {
		return fmt.Errorf("there are alerts: %v", alerts.Results)
	}
	return nil
}

func remove() error {
	resp, err := call("DELETE", "/kafka-replicator/orders-dr/", nil)
	if err != nil {
		return err
	}
	resp.Body.Close()
	for end := time.Now().Add(deadline); ; time.Sleep(200 * time.Millisecond) {
		resp, err := call("GET", "/kafka-replicator/orders-dr/", nil)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode == 404 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it is still there: %s", resp.Status)
		}
	}
}

func main() {
	flows := []struct {
		name string
		run  func() error
	}{{"create", create}, {"status", status}, {"change", change}, {"watch", watch}, {"delete", remove}}
	for _, flow := range flows {
		fmt.Println("==", flow.name)
		if err := flow.run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
