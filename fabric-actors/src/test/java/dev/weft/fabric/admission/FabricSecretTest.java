package dev.weft.fabric.admission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FabricSecretTest {
  @TempDir private Path directory;

  @Test
  void shouldMakeAFileThatOnlyItsOwnerReadsAndKeepIt() throws Exception {
    Path file = directory.resolve("secret");
    FabricSecret.readOrMake(file);
    String first = Files.readString(file);
    FabricSecret.readOrMake(file);
    assertEquals(first, Files.readString(file), "JVMs on other hosts have copies of it");
    assertTrue(first.matches("[0-9a-f]{64}\n"), "256 bits");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(1, files.count(), "nothing else is left");
    }
  }

  @Test
  void shouldAgreeOnOneFileWithAProcessThatMakesItToo() throws Exception {
    Path file = directory.resolve("secret");
    Callable<String> maker = () -> {
      FabricSecret.readOrMake(file);
      return Files.readString(file);
    };
    Set<String> seen = new HashSet<>();
    try (ExecutorService makers = Executors.newFixedThreadPool(4)) {
      for (Future<String> made : makers.invokeAll(List.of(maker, maker, maker, maker))) {
        seen.add(made.get());
      }
    }
    assertEquals(1, seen.size());
  }

  @Test
  void shouldTellNothingOfASecretThatIsTooShortOrOpenToAll() throws Exception {
    Path file = directory.resolve("secret");
    Files.writeString(file, "hunter2\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertFalse(assertThrows(IOException.class, () -> FabricSecret.read(file)).toString().contains("hunter2"));
    Files.writeString(file, "0123456789abcdef0123456789abcdef\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    String message = assertThrows(IOException.class, () -> FabricSecret.read(file)).getMessage();
    assertTrue(message.contains("chmod 600") && !message.contains("0123456789abcdef"), message);
  }

  @Test
  void shouldNotShowItselfOrItsKeys() throws Exception {
    FabricSecret secret = Secrets.of('a');
    assertFalse(secret.toString().contains("aaaa"), secret.toString());
    assertFalse(secret.newKeys().toString().contains("aaaa"));
  }

  @Test
  void shouldMakeOtherKeysForEachFabricAndEachPurpose() throws Exception {
    FabricSecret secret = Secrets.of('a');
    FabricKeys one = secret.keys(new byte[FabricSecret.SALT_LENGTH]);
    FabricKeys other = secret.newKeys();
    byte[] text = {1, 2, 3};
    assertArrayEquals(one.control().of(text), secret.keys(new byte[FabricSecret.SALT_LENGTH]).control().of(text));
    assertFalse(other.control().matches(one.control().of(text), text));
    assertFalse(one.handshake().matches(one.control().of(text), text));
    byte[] hello = one.trunkHello(7, "10.0.0.1:40000");
    assertTrue(one.isTrunkHello(hello, 7, "10.0.0.1:40000"));
    assertFalse(one.isTrunkHello(hello, 8, "10.0.0.1:40000"), "of another trunk");
    assertFalse(one.isTrunkHello(hello, 7, "10.0.0.1:40001"), "to another JVM");
    assertFalse(other.isTrunkHello(hello, 7, "10.0.0.1:40000"), "of another fabric");
  }
}
