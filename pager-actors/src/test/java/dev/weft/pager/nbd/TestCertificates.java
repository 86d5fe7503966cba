package dev.weft.pager.nbd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes a directory of certificates with the JDK's keytool: one authority, a server for localhost and 127.0.0.1, and a client. */
public final class TestCertificates {
  private static final String PASSWORD = "password";

  private TestCertificates() {}

  /** Fills {@code directory}, which it makes. Another call makes another authority. */
  public static Path make(Path directory) throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(directory);
    Path store = directory.resolve("all.p12");
    keytool(store, "ca", "-dname", "CN=test authority", "-ext", "bc:c", "-ext", "ku:c=keyCertSign");
    keytool(store, "server", "-dname", "CN=localhost", "-signer", "ca", "-ext", "san=dns:localhost,ip:127.0.0.1", "-ext", "eku=serverAuth");
    keytool(store, "client", "-dname", "CN=client", "-signer", "ca", "-ext", "eku=clientAuth");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    pem(directory.resolve("ca-cert.pem"), "CERTIFICATE", keys.getCertificate("ca").getEncoded());
    for (String role : List.of("server", "client")) {
      Certificate certificate = keys.getCertificate(role);
      Key key = keys.getKey(role, PASSWORD.toCharArray());
      pem(directory.resolve(role + "-cert.pem"), "CERTIFICATE", certificate.getEncoded());
      pem(directory.resolve(role + "-key.pem"), "PRIVATE KEY", key.getEncoded());
      Files.setPosixFilePermissions(directory.resolve(role + "-key.pem"), PosixFilePermissions.fromString("rw-------"));
    }
    Files.delete(store);
    return directory;
  }

  private static void keytool(Path store, String alias, String... more) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
        "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD, "-alias", alias, "-keyalg", "RSA",
        "-keysize", "2048", "-validity", "2"));
    command.addAll(List.of(more));
    Path log = Files.createTempFile("keytool", ".log");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException("keytool: " + Files.readString(log));
      }
    } finally {
      process.destroyForcibly();
      Files.delete(log);
    }
  }

  private static void pem(Path file, String type, byte[] der) throws IOException {
    Files.writeString(file, "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
        + "\n-----END " + type + "-----\n");
  }
}
