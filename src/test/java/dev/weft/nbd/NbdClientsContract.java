package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.hca.node.RoleContext;
import dev.weft.pager.nbd.NbdClients;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every real NBD client against {@code weft up}. Memory: three servers of 32 MiB, so that requests span servers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(400)
abstract class NbdClientsContract {
  private static final long SERVER_BYTES = 32L << 20;

  private final int jvms;
  private final List<String> options;
  private final String jvmOptions;
  private WeftProcess weft;
  @TempDir private Path directory;

  /** {@code options} are further ones of {@code weft up}. */
  NbdClientsContract(int jvms, String... options) {
    this.jvms = jvms;
    this.options = List.of(options);
    jvmOptions = "";
  }

  /** With the pager's roles in that context. */
  NbdClientsContract(int jvms, RoleContext context) {
    this.jvms = jvms;
    options = List.of();
    jvmOptions = "-Dweft.pager.client.context=" + context.configName() + " -Dweft.pager.server.context=" + context.configName();
  }

  @BeforeAll
  @Timeout(400)
  void up() throws Exception {
    weft = new WeftProcess(List.of(), jvmOptions);
    List<String> arguments = new ArrayList<>(List.of("up", "--jvms=" + jvms, "--servers=3", "--memory=" + SERVER_BYTES,
        "--nbd=127.0.0.1:0", "--http=127.0.0.1:0", "--detach"));
    arguments.addAll(options);
    WeftProcess.Answer answer = weft.run(arguments.toArray(String[]::new));
    assertEquals(0, answer.exitCode(), answer.err() + answer.out() + weft.logs());
    weft.awaitMembers(jvms - 1);
  }

  @AfterAll
  @Timeout(400)
  void down() throws Exception {
    weft.close();
  }

  final NbdClients clients() throws Exception {
    return new NbdClients(weft.nbd(), directory);
  }

  /** A page of HTTP inspection. */
  final JsonNode get(String path) throws Exception {
    return weft.get(path);
  }

  @Test
  void shouldBeDescribedByNbdinfo() throws Exception {
    clients().inspect(3 * SERVER_BYTES);
  }

  @Test
  void shouldGiveBackAFileSystemThatNbdcopyBrought() throws Exception {
    Path tree = Files.createDirectory(directory.resolve("tree"));
    byte[] content = new byte[5 << 20];
    new Random(7).nextBytes(content);
    Files.write(tree.resolve("random"), content);
    Files.writeString(tree.resolve("text"), "weft\n".repeat(10_000));
    clients().copyFileSystem(tree, 72 << 20);
  }

  @Test
  void shouldConvertCompareAndCheckImagesWithQemuImg() throws Exception {
    clients().qemuImage((int) (3 * SERVER_BYTES));
  }

  @Test
  void shouldKeepPatternsOfQemuIo() throws Exception {
    clients().qemuIo();
  }

  @Test
  void shouldHoldAQcow2ImageThatQemuImgMade() throws Exception {
    clients().qemuCreate();
  }

  @Test
  void shouldPassChecksumsOfFio() throws Exception {
    clients().fioVerify(48 << 20, 4096, 16);
    clients().fioVerify(48 << 20, 131072, 8);
  }

  @Test
  void shouldBeAFileThroughNbdfuse() throws Exception {
    clients().fuse();
  }

  @Test
  void shouldTellItsStateWhileItRuns() throws Exception {
    // Other tests of the class may have left an alarm that goes after a while.
    String[] nodes = {"client", "memory-1", "memory-2", "memory-3"};
    weft.awaitStatus("all nodes in a healthy status", answer -> answer.exitCode() == 0 && Stream.of(nodes).allMatch(answer.out()::contains));
  }
}
