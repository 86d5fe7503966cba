package dev.weft.launcher.http;

import com.typesafe.config.Config;
import dev.weft.fabric.tls.SecretFile;
import dev.weft.fabric.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/**
 * The access rules of an HTTP port, for both server and client. The methods that return the content of files read these files.
 *
 * @param certificates certificates for TLS; null without TLS
 * @param tokenFile file with the bearer token; null if none is required
 */
public record HttpAccess(TlsFiles certificates, Path tokenFile) {
  /** Access with neither TLS nor a token. */
  public static final HttpAccess NONE = new HttpAccess(null, null);

  /** Reads {@code weft.http.tls}, {@code weft.http.token-file} and {@code weft.tls}. */
  public static HttpAccess from(Config config) {
    String token = config.getString("weft.http.token-file");
    return new HttpAccess(config.getBoolean("weft.http.tls") ? TlsFiles.from(config) : null, token.isBlank() ? null : Path.of(token));
  }

  /** Whether the port uses TLS. */
  public boolean tls() {
    return certificates != null;
  }

  boolean needsToken() {
    return tokenFile != null;
  }

  /** Returns the context of the server; null without TLS. */
  SSLContext serverTls() throws IOException {
    return tls() ? certificates.server() : null;
  }

  SSLContext clientTls() throws IOException {
    return certificates.client();
  }

  /** Returns the token; null if none is required. */
  String readToken() throws IOException {
    return needsToken() ? SecretFile.read(tokenFile) : null;
  }
}
