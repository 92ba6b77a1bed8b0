// Sign-in with authsvc for a server in Go 1.21 or newer, without a module:
//
//	AUTHSVC_APP_ID=app_… AUTHSVC_API_KEY=ak_… go run main.go
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

var (
	authsvcURL = setting("AUTHSVC_ISSUER", "http://localhost:8080")
	appURL     = setting("APP_URL", "http://localhost:3000")
	appID      = os.Getenv("AUTHSVC_APP_ID")
	apiKey     = os.Getenv("AUTHSVC_API_KEY")
	client     = &http.Client{Timeout: 10 * time.Second}
	// Who is signed in, by the cookie `session`. In memory for the example: yours belong where your sessions are.
	sessions sync.Map
)

type tokens struct {
	AccessToken  string `json:"accessToken"`
	RefreshToken string `json:"refreshToken"`
}

type user struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

// call makes one call of the service, with the API key or with a user's access token, and reads what a 200 answers.
func call(method, path, bearer string, body, answer any) (status int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	if method == "GET" {
		text = nil
	}
	request, err := http.NewRequest(method, authsvcURL+path, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("X-Service-App-ID", appID)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode == 200 && answer != nil {
		err = json.NewDecoder(response.Body).Decode(answer)
	}
	return response.StatusCode, err
}

// userOf says who is asking, and refreshes what has expired. Nil: nobody is signed in (any more).
func userOf(session string) (*user, error) {
	found, _ := sessions.Load(session)
	pair, isSignedIn := found.(tokens)
	if !isSignedIn {
		return nil, nil
	}
	var valid struct {
		User user
		// Set for a token of an OpenID Connect client of this app: maybe another party's program.
		ClientID string
	}
	status, err := call("GET", "/auth/validate", pair.AccessToken, nil, &valid)
	if err == nil && status == 401 {
		status, err = call("POST", "/auth/refresh", apiKey, map[string]string{"refreshToken": pair.RefreshToken}, &pair)
		if err == nil && status == 401 {
			sessions.Delete(session)
			return nil, nil
		}
		if err == nil && status == 200 {
			sessions.Store(session, pair)
			status, err = call("GET", "/auth/validate", pair.AccessToken, nil, &valid)
		}
	}
	if err != nil || status != 200 || valid.ClientID != "" {
		return nil, err
	}
	return &valid.User, nil
}

func login(w http.ResponseWriter, r *http.Request) {
	// `state` ties the answer to this browser: nobody can slip their own sign-in to somebody else.
	state := random()
	var begun struct{ AuthURL string }
	body := map[string]string{"redirectUri": appURL + "/callback", "state": state}
	status, err := call("POST", "/auth/initiate", apiKey, body, &begun)
	if err != nil || status != 200 {
		answer(w, 502, map[string]string{"error": fmt.Sprintf("The sign-in cannot be started: status %d.", status)})
		return
	}
	setCookie(w, "state", state, 600)
	http.Redirect(w, r, begun.AuthURL, http.StatusSeeOther)
}

func callback(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	state := query.Get("state")
	if state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(cookie(r, "state"))) != 1 {
		answer(w, 400, map[string]string{"error": "This sign-in was not started here."})
		return
	}
	if query.Has("error") {
		setCookie(w, "state", "", -1)
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	var pair tokens
	body := map[string]string{"code": query.Get("code"), "state": state, "sessionId": query.Get("sessionId")}
	status, err := call("POST", "/auth/callback", apiKey, body, &pair)
	if err != nil || status != 200 {
		answer(w, 400, map[string]string{"error": "The sign-in has timed out. Start again."})
		return
	}
	session := random()
	sessions.Store(session, pair)
	setCookie(w, "state", "", -1)
	setCookie(w, "session", session, 30*86400)
	http.Redirect(w, r, "/me", http.StatusSeeOther)
}

func me(w http.ResponseWriter, r *http.Request) {
	found, err := userOf(cookie(r, "session"))
	if err != nil {
		log.Print(err)
		answer(w, 502, map[string]string{"error": "The sign-in service does not answer."})
	} else if found == nil {
		answer(w, 401, map[string]string{"error": "Nobody is signed in."})
	} else {
		answer(w, 200, found)
	}
}

func logout(w http.ResponseWriter, r *http.Request) {
	session := cookie(r, "session")
	// An expired access token cannot sign out; userOf has refreshed it.
	if found, _ := userOf(session); found != nil {
		pair, _ := sessions.Load(session)
		if _, err := call("POST", "/auth/logout", pair.(tokens).AccessToken, struct{}{}, nil); err != nil {
			log.Print(err)
		}
	}
	sessions.Delete(session)
	setCookie(w, "session", "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<a href="/login">Sign in</a> <a href="/me">Me</a>
<form method="post" action="/logout"><button>Sign out</button></form>`)
}

func main() {
	routes := map[string]http.HandlerFunc{
		"GET /": home, "GET /login": login, "GET /callback": callback, "GET /me": me, "POST /logout": logout,
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route, found := routes[r.Method+" "+r.URL.Path]; found {
			route(w, r)
		} else {
			answer(w, 404, map[string]string{"error": "Not found."})
		}
	})
	address, err := url.Parse(appURL)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", appURL)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+address.Port(), handler))
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(name), Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(appURL, "https:"),
	})
}

// With this prefix, no other host of your domain can set a cookie. Browsers refuse it on http.
func cookieName(name string) string {
	if strings.HasPrefix(appURL, "https:") {
		return "__Host-" + name
	}
	return name
}

// Empty also if it comes twice: one of the two may be another host's.
func cookie(r *http.Request, name string) string {
	value, times := "", 0
	for _, found := range r.Cookies() {
		if found.Name == cookieName(name) {
			value = found.Value
			times++
		}
	}
	if times != 1 {
		return ""
	}
	return value
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
