package dev.weft.fabric.tls;

import com.typesafe.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A directory of certificates with the file names that nbdkit, qemu and libnbd use: {@code ca-cert.pem}, {@code server-cert.pem},
 * {@code server-key.pem}, {@code client-cert.pem}, {@code client-key.pem}. Each call reads the files that it needs; later changes of the
 * files do not affect its result. Any thread.
 */
public final class TlsFiles {
  /** Setting with the directory. */
  public static final String KEY = "weft.tls.certificates";

  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
  private static final char[] IN_MEMORY = "in memory".toCharArray();

  private final Path directory;

  public TlsFiles(Path directory) {
    this.directory = directory;
  }

  /**
   * Returns the configured directory.
   *
   * @throws IllegalArgumentException if no directory is configured
   */
  public static TlsFiles from(Config root) {
    String text = root.getString(KEY);
    if (text.isBlank()) {
      throw new IllegalArgumentException(KEY + " is empty; TLS needs a directory with ca-cert.pem, server-cert.pem and server-key.pem");
    }
    return new TlsFiles(Path.of(text));
  }

  /**
   * Returns the context of a server: it shows {@code server-cert.pem} and trusts clients whose certificate {@code ca-cert.pem} has signed.
   *
   * @throws IOException if a file is missing, malformed or expired, or the key does not belong to the certificate
   */
  public SSLContext server() throws IOException {
    return context(true, "server");
  }

  /** Returns the context of a client: it uses {@code ca-cert.pem}, and {@code client-cert.pem} with its key if these exist. */
  public SSLContext client() throws IOException {
    return context(Files.exists(directory.resolve("client-cert.pem")), "client");
  }

  /** Makes an engine for one connection of a server, with TLS 1.3 or 1.2. */
  public static SSLEngine serverEngine(SSLContext context, boolean verifyClient) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(verifyClient);
    engine.setEnabledProtocols(PROTOCOLS);
    return engine;
  }

  private SSLContext context(boolean withIdentity, String role) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(KEY + " = \"" + directory + "\" is not a directory");
    }
    try {
      KeyStore trusted = empty();
      X509Certificate[] authorities = Pem.certificates(directory.resolve("ca-cert.pem"));
      for (int i = 0; i < authorities.length; i++) {
        trusted.setCertificateEntry("ca-" + i, authorities[i]);
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(withIdentity ? identity(role).getKeyManagers() : null, unnamed(trust.getTrustManagers()), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificates in " + directory + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static TrustManager[] unnamed(TrustManager[] managers) {
    return Arrays.stream(managers)
        .map(manager -> manager instanceof X509ExtendedTrustManager x509 ? new UnnamedAuthorities(x509) : manager)
        .toArray(TrustManager[]::new);
  }

  private KeyManagerFactory identity(String role) throws IOException, GeneralSecurityException {
    Path certificateFile = directory.resolve(role + "-cert.pem");
    Path keyFile = directory.resolve(role + "-key.pem");
    X509Certificate[] chain = Pem.certificates(certificateFile);
    checkValidity(certificateFile, chain[0]);
    SecretFile.checkPrivate(keyFile);
    PrivateKey key = Pem.privateKey(keyFile);
    if (!belong(key, chain[0])) {
      throw new IOException(keyFile + " is not the key of " + certificateFile + "; copy the two that were made together");
    }
    KeyStore own = empty();
    own.setKeyEntry(role, key, IN_MEMORY, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, IN_MEMORY);
    return keys;
  }

  private static void checkValidity(Path file, X509Certificate certificate) throws IOException {
    try {
      certificate.checkValidity();
    } catch (CertificateException e) {
      throw new IOException(file + " is valid from " + certificate.getNotBefore().toInstant() + " to "
          + certificate.getNotAfter().toInstant() + ", not now; make a new one", e);
    }
  }

  private static boolean belong(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
    if (!key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm())) {
      return false;
    }
    String algorithm = switch (key.getAlgorithm()) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      case "EdDSA" -> "EdDSA";
      default -> null;
    };
    if (algorithm == null) {
      return true; // JSSE checks this with the first client.
    }
    byte[] probe = {1, 2, 3};
    Signature signer = Signature.getInstance(algorithm);
    signer.initSign(key);
    signer.update(probe);
    byte[] signature = signer.sign();
    signer.initVerify(certificate.getPublicKey());
    signer.update(probe);
    return signer.verify(signature);
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
