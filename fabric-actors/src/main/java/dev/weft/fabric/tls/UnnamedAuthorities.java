package dev.weft.fabric.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts the same authorities as {@code inner}, but does not name them when it asks a client for its certificate. If a server names
 * authorities, GnuTLS (libnbd, qemu) sends it an RSA certificate only if the server also lists PKCS#1 signatures. Java's TLS 1.3 does not
 * list these.
 */
final class UnnamedAuthorities extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager inner;

  UnnamedAuthorities(X509ExtendedTrustManager inner) {
    this.inner = inner;
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
    inner.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
    inner.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
    inner.checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
    inner.checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    inner.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    inner.checkServerTrusted(chain, type);
  }
}
