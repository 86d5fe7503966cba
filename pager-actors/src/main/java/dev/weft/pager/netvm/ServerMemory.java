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

/** Creates the virtual memory, in real time, of a host whose memory server lends more than its physical memory. */
public final class ServerMemory {
  private ServerMemory() {}

  /**
   * Creates virtual memory with {@code settings.residentBytes()} of frames, or fewer if the server lends less, and a page file. The page file disappears
   * with the process, however it ends. Its space for all lent memory is reserved from the start, unless the frames hold all of it.
   *
   * @param base settings of the page size and the redirect buffer
   * @throws IOException if the page file cannot be created or has too little space
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
      Files.delete(file); // The open file remains usable until it is closed.
    }
  }
}
