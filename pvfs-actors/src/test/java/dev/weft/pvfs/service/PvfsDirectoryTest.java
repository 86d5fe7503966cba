package dev.weft.pvfs.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Inode;
import dev.weft.pvfs.manager.NameSpace;
import dev.weft.pvfs.manager.NameSpaceSettings;
import dev.weft.pvfs.store.RocksSettings;
import dev.weft.pvfs.store.RocksStore;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class PvfsDirectoryTest {
  @TempDir private Path path;

  private Path part(String name, String file) throws Exception {
    return Files.writeString(Files.createDirectories(path.resolve("fs").resolve(name)).resolve(file), "x");
  }

  private String refusal(PvfsDirectory directory) {
    return assertThrows(CommandFailure.class, () -> directory.label(2)).getMessage();
  }

  @Test
  void shouldNotTakeADirectoryForANewOneOfWhichAPartIsNotMounted() throws Exception {
    PvfsDirectory directory = new PvfsDirectory(path.resolve("fs"));
    String id = directory.label(2).id();
    assertEquals(id, directory.label(2).id(), "nothing is in it yet");
    part("pvfs-io-0", "daemon.format");
    assertTrue(refusal(directory).contains("manager has no metadata"));
    part("manager/rocks", "CURRENT");
    assertTrue(refusal(directory).contains("pvfs-io-1 has no stripes"));
    Path second = part("pvfs-io-1", "daemon.format");
    assertEquals(id, directory.label(2).id());
    Files.delete(second);
    assertTrue(refusal(directory).contains("pvfs-io-1 has no stripes"));
  }

  @Test
  void shouldNotTakeStripesForNewWhereThereAreNamesOfFiles() {
    PvfsDirectory directory = new PvfsDirectory(path.resolve("fs"));
    FileSystemLabel label = directory.label(1);
    withNames(directory, _ -> {});
    assertEquals(label, directory.label(1), "killed before its daemon had begun, and without files");
    withNames(directory, names -> assertTrue(names.mkdir(Caller.ROOT, Inode.ROOT, new byte[] {'d'}, 0755, 1).isOk()));
    String message = assertThrows(CommandFailure.class, () -> directory.label(1)).getMessage();
    assertTrue(message.contains("pvfs-io-0 has no stripes, but there are names of files"), message);
  }

  private static void withNames(PvfsDirectory directory, Consumer<NameSpace> change) {
    try (RocksStore store = RocksStore.open(directory.manager(), RocksSettings.DEFAULT)) {
      NameSpace names = NameSpace.open(store, NameSpaceSettings.of(1), 1);
      change.accept(names);
      names.commit();
    }
  }
}
