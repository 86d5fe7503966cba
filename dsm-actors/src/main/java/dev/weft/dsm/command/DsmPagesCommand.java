package dev.weft.dsm.command;

import dev.weft.dsm.mmu.MmuClient;
import dev.weft.dsm.mmu.ProtectTimes;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weft dsm-pages}: the application of {@code weft dsm bench protect}. Not for users. */
@Command(name = "dsm-pages", hidden = true, description = "An application whose pages are protected; started by 'weft dsm bench protect'.")
public final class DsmPagesCommand implements Runnable {
  @Parameters(index = "0", paramLabel = "DIR", description = "what the node serves")
  private Path directory;

  @Override
  public void run() {
    try (MmuClient client = new MmuClient(directory)) {
      ProtectTimes.application(client);
    }
  }
}
