<?php
// Sign-in with authsvc for a server in PHP 8, without a library:
//   AUTHSVC_APP_ID=app_… AUTHSVC_API_KEY=ak_… php -S localhost:3000 server.php
declare(strict_types=1);

define('AUTHSVC_ISSUER', getenv('AUTHSVC_ISSUER') ?: 'http://localhost:8080');
define('APP_URL', getenv('APP_URL') ?: 'http://localhost:3000');
define('APP_ID', getenv('AUTHSVC_APP_ID'));
define('API_KEY', getenv('AUTHSVC_API_KEY'));

/** One call of the service, with the API key or with a user's access token: the status and the answer. */
function call(string $method, string $path, ?array $body = null, string $bearer = API_KEY): array {
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => ["Authorization: Bearer $bearer", 'X-Service-App-ID: ' . APP_ID, 'Content-Type: application/json'],
        'content' => $body === null ? '' : json_encode((object) $body),
        'ignore_errors' => true,
        'timeout' => 10,
    ]]);
    $answer = file_get_contents(AUTHSVC_ISSUER . $path, false, $context);
    if ($answer === false) json(502, ['error' => 'The sign-in service does not answer.']);
    return [(int) explode(' ', $http_response_header[0])[1], json_decode($answer, true)];
}

/** Who is asking; refreshes what has expired. Null: nobody is signed in (any more). */
function user(): ?array {
    if (!isset($_SESSION['tokens'])) return null;
    [$status, $answer] = call('GET', '/auth/validate', null, $_SESSION['tokens']['accessToken']);
    if ($status === 401) {
        [$status, $tokens] = call('POST', '/auth/refresh', ['refreshToken' => $_SESSION['tokens']['refreshToken']]);
        if ($status === 401) unset($_SESSION['tokens']);
        if ($status !== 200) return null;
        $_SESSION['tokens'] = $tokens;
        [$status, $answer] = call('GET', '/auth/validate', null, $tokens['accessToken']);
    }
    // A token with a clientId belongs to an OpenID Connect client of this app: maybe another party's program.
    return $status === 200 && !isset($answer['clientId']) ? $answer['user'] : null;
}

function json(int $status, array $body): never {
    http_response_code($status);
    header('Content-Type: application/json');
    exit(json_encode($body));
}

function redirect(string $location): never {
    header("Location: $location", true, 303);
    exit;
}

session_set_cookie_params(['httponly' => true, 'samesite' => 'Lax', 'secure' => str_starts_with(APP_URL, 'https:')]);
// With this prefix, no other host of your domain can set the cookie. Browsers refuse it on http.
session_name(str_starts_with(APP_URL, 'https:') ? '__Host-session' : 'session');
session_start();

switch ($_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case 'GET /':
        exit('<a href="/login">Sign in</a> <a href="/me">Me</a>'
            . '<form method="post" action="/logout"><button>Sign out</button></form>');

    case 'GET /login':
        // `state` ties the answer to this browser: nobody can slip their own sign-in to somebody else.
        $_SESSION['state'] = bin2hex(random_bytes(32));
        [$status, $answer] = call('POST', '/auth/initiate', [
            'redirectUri' => APP_URL . '/callback',
            'state' => $_SESSION['state'],
        ]);
        if ($status !== 200) json(502, ['error' => $answer['error']['message']]);
        redirect($answer['authUrl']);

    case 'GET /callback':
        $state = $_GET['state'] ?? '';
        if (!is_string($state) || $state === '' || !hash_equals($_SESSION['state'] ?? '', $state)) {
            json(400, ['error' => 'This sign-in was not started here.']);
        }
        unset($_SESSION['state']);
        if (isset($_GET['error'])) redirect('/');
        [$status, $tokens] = call('POST', '/auth/callback', [
            'code' => $_GET['code'] ?? '',
            'state' => $state,
            'sessionId' => $_GET['sessionId'] ?? '',
        ]);
        if ($status !== 200) json(400, ['error' => 'The sign-in has timed out. Start again.']);
        session_regenerate_id(true);
        $_SESSION['tokens'] = $tokens;
        redirect('/me');

    case 'GET /me':
        $user = user() ?? json(401, ['error' => 'Nobody is signed in.']);
        json(200, ['id' => $user['id'], 'email' => $user['email']]);

    case 'POST /logout':
        // An expired access token cannot sign out; user() has refreshed it.
        if (user() !== null) call('POST', '/auth/logout', [], $_SESSION['tokens']['accessToken']);
        $_SESSION = [];
        session_regenerate_id(true);
        redirect('/');

    default:
        json(404, ['error' => 'Not found.']);
}
