package dev.weft.pager.nbd;

import dev.weft.pager.RamBlockDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("client")
@Timeout(180)
class RealClientsTest {
  private static final int SIZE = 32 << 20;
  @TempDir Path directory;
  private RamBlockDevice device;
  private NbdServer server;

  private NbdClients clients(String address) throws Exception {
    device = new RamBlockDevice(SIZE, 130_048, 64, Runnable::run);
    String listen = "unix".equals(address) ? "unix:" + directory.resolve("s") : "127.0.0.1:0";
    server = NbdServing.serve("weft.pager.nbd.listen = [\"" + listen + "\"]", device);
    return new NbdClients(server.uris().getFirst(), directory);
  }

  @AfterEach
  void stop() throws Exception {
    NbdServing.untilIdle(device, server);
    server.close();
    device.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "unix"})
  void shouldSatisfyLibnbd(String address) throws Exception {
    NbdClients clients = clients(address);
    clients.inspect(SIZE);
    Path tree = Files.createDirectories(directory.resolve("tree/sub"));
    Files.write(tree.resolve("numbers"), new byte[100_000]);
    Files.writeString(tree.resolve("text"), "a real file system\n".repeat(5000));
    clients.copyFileSystem(tree.getParent(), 16 << 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "unix"})
  void shouldSatisfyQemu(String address) throws Exception {
    NbdClients clients = clients(address);
    clients.qemuIo();
    clients.qemuImage(SIZE);
    clients.qemuCreate();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "unix"})
  void shouldSatisfyFio(String address) throws Exception {
    NbdClients clients = clients(address);
    clients.fioVerify(4 << 20, 4096, 16);
    clients.fioVerify(8 << 20, 131_072, 4);
  }

  @ParameterizedTest
  @ValueSource(strings = "unix")
  void shouldSatisfyNbdfuse(String address) throws Exception {
    clients(address).fuse();
  }
}
