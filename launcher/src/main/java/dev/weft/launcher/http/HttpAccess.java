package dev.weft.launcher.http;

import com.typesafe.config.Config;
import dev.weft.fabric.tls.SecretFile;
import dev.weft.fabric.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/**
 * What somebody who asks an HTTP port needs to have, for both sides; the files are read by those who ask for their content.
 *
 * @param certificates of TLS; null without TLS
 * @param tokenFile holds the bearer token; null if none is wanted
 */
public record HttpAccess(TlsFiles certificates, Path tokenFile) {
  /** Neither TLS nor a token. */
  public static final HttpAccess NONE = new HttpAccess(null, null);

  /** Reads {@code weft.http.tls}, {@code weft.http.token-file} and {@code weft.tls}. */
  public static HttpAccess from(Config config) {
    String token = config.getString("weft.http.token-file");
    return new HttpAccess(config.getBoolean("weft.http.tls") ? TlsFiles.from(config) : null, token.isBlank() ? null : Path.of(token));
  }

  /** Whether TLS is spoken. */
  public boolean tls() {
    return certificates != null;
  }

  boolean needsToken() {
    return tokenFile != null;
  }

  /** Null without TLS. */
  SSLContext serverTls() throws IOException {
    return tls() ? certificates.server() : null;
  }

  SSLContext clientTls() throws IOException {
    return certificates.client();
  }

  /** Null if none is wanted. */
  String readToken() throws IOException {
    return needsToken() ? SecretFile.read(tokenFile) : null;
  }
}
