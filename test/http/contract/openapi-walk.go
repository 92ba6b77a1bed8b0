package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"walk/authsvc"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func client(token string) *authsvc.ClientWithResponses {
	headers := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("X-Service-App-ID", os.Getenv("APP_ID"))
		return nil
	}
	return must(authsvc.NewClientWithResponses(os.Getenv("URL"), authsvc.WithRequestEditorFn(headers)))
}

func main() {
	ctx, state := context.Background(), "s"
	server := client(os.Getenv("API_KEY"))
	started := must(server.InitiateWithResponse(ctx, authsvc.InitiateRequest{RedirectUri: os.Getenv("REDIRECT_URI"), State: &state})).JSON200
	fmt.Println(started.AuthUrl)
	var code string
	must(fmt.Scanln(&code))
	first := must(server.CallbackWithResponse(ctx, authsvc.CallbackRequest{Code: code, SessionId: started.SessionId, State: &state})).JSON200
	tokens := must(server.RefreshWithResponse(ctx, authsvc.RefreshRequest{RefreshToken: first.RefreshToken})).JSON200
	user := client(tokens.AccessToken)
	fmt.Println(must(user.ValidateWithResponse(ctx)).JSON200.Valid)
	fmt.Println(*must(user.GetProfileWithResponse(ctx)).JSON200.Email)
	fmt.Println(must(must(user.ListAuthMethodsWithResponse(ctx)).JSON200.Methods[0].Discriminator()))
	fmt.Println(must(must(user.GetKeySetWithResponse(ctx)).JSON200.Keys[0].Discriminator()))
	must(user.LogoutWithResponse(ctx, authsvc.LogoutRequest{RefreshToken: &tokens.RefreshToken}))
	fmt.Println(must(user.ValidateWithResponse(ctx)).JSON401.Error.Code)
}
