package dev.weft.pager.nbd;

import dev.weft.fabric.tls.TlsFiles;
import java.io.IOException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * The server's use of TLS. Any thread.
 *
 * @param context certificates and key; null if TLS is off
 */
record NbdTls(NbdSettings.Tls mode, SSLContext context, boolean verifyClient) {
  /** Reads the certificates, unless TLS is off. */
  static NbdTls of(NbdSettings settings) throws IOException {
    SSLContext context = settings.tls() == NbdSettings.Tls.OFF ? null : settings.tlsFiles().server();
    return new NbdTls(settings.tls(), context, settings.tlsVerifyClient());
  }

  boolean isOffered() {
    return mode != NbdSettings.Tls.OFF;
  }

  boolean isRequired() {
    return mode == NbdSettings.Tls.REQUIRE;
  }

  SSLEngine engine() {
    return TlsFiles.serverEngine(context, verifyClient);
  }
}
