package dev.weft.pager.netvm;

import dev.weft.fabric.memory.SharedMemory;
import dev.weft.hca.netvm.FileBackingStore;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.pager.server.ServerSettings;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/** The virtual memory, in real time, of a host whose memory server lends more than it keeps in memory. */
public final class ServerMemory {
  private ServerMemory() {}

  /**
   * A host with {@code settings.residentBytes()} of frames, or fewer if it lends less, and a page file that vanishes with it, whatever becomes
   * of the process. The page file has room for all that is lent from the start, unless the frames have.
   *
   * @param base page size and redirect buffer
   * @throws IOException if there can be no page file, or it has too little space
   */
  public static HostVm open(ServerSettings settings, NetVmSettings base) throws IOException {
    int page = base.pageBytes();
    long frames = Math.max(2, Math.min(settings.residentBytes(), settings.memoryBytes()) / page);
    NetVmSettings own = new NetVmSettings(page, Math.toIntExact(frames), Math.toIntExact(Math.ceilDiv(settings.memoryBytes(), page)),
        base.spacesMax(), base.redirectPackets(), base.redirectBytesMax());
    Path file = settings.pageFileDirectory().isEmpty() ? Files.createTempFile("weft-pages-", ".bin")
        : Files.createTempFile(Path.of(settings.pageFileDirectory()), "weft-pages-", ".bin");
    try {
      int reserved = frames >= own.spacePages() ? 0 : own.spacePages();
      return new HostVm(own, new FileBackingStore(file, page, reserved), VmProcessor.DIRECT,
          SharedMemory.allocate(Arena.ofAuto(), own.frameBytes(), page));
    } finally {
      Files.delete(file); // It lives on until it is closed.
    }
  }
}
