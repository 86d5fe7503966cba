package dev.weft.pvfs.service;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DirectoryPage;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class RequestsTest {
  @Test
  void shouldRemoveASymbolicLinkAndNotWhereItLeads() throws Exception {
    try (FileSystemCluster cluster = new FileSystemCluster(1, "")) {
      PvfsFileSystem files = cluster.connect(Caller.ROOT);
      Requests requests = new Requests(files, null);
      files.mkdir("/d", 0755);
      files.open("/f", CREATE, WRITE).close();
      for (String target : List.of("f", "d", "nothing")) {
        files.symlink(target, "/link");
        assertEquals(List.of(), requests.answer(List.of("rm", "/link")), "to " + target);
        assertThrows(PvfsException.class, () -> files.attributes("/link", false));
      }
      assertTrue(files.attributes("/f").isRegular() && files.attributes("/d").isDirectory());
      requests.answer(List.of("rm", "/d"));
    }
  }

  @Test
  void shouldListWhatIsWrittenWhateverItIsCalledAndLeaveOutWhatHasGone() throws Exception {
    try (FileSystemCluster cluster = new FileSystemCluster(1, "")) {
      PvfsFileSystem files = cluster.connect(Caller.ROOT);
      Requests requests = new Requests(files, null);
      files.mkdir("/d", 0755);
      try (PvfsFile file = files.open("/d/\udcff\udc80", CREATE, WRITE)) {
        file.write(Arena.ofAuto().allocate(17), 0);
        List<String> lines = requests.answer(List.of("ls", "/d", "long"));
        assertTrue(lines.size() == 1 && lines.getFirst().matches("-0644 .* 17  \\\\377\\\\200"), lines::toString);
        DirectoryPage.Entry entry = files.list("/d").getFirst();
        assertTrue(entry.isLengthOpen());
        files.unlink("/d/\udcff\udc80");
        assertEquals(Optional.empty(), requests.line("/d", entry, true));
        assertEquals(List.of(), requests.answer(List.of("ls", "/d", "long")));
      }
    }
  }
}
