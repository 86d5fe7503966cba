package dev.weft.pager.service;

import dev.weft.pager.client.AreaState;
import dev.weft.pager.client.AreaStatus;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.server.MemoryServer;
import dev.weft.service.CommandFailure;
import dev.weft.service.SizeConverter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Replaces lost areas of the fabric's block device by the memory of JVMs that have joined. */
final class Replacement {
  private static final int PATIENCE_S = 30;
  private static final int ATTEMPTS = 20;
  private static final long ATTEMPT_PAUSE_MS = 250;

  /** Nodes whose memory has become, or is becoming, a part of the block device, so that they have no separate exports. */
  private final Set<String> taken = ConcurrentHashMap.newKeySet();

  /**
   * A checked replacement.
   *
   * @param area number of the lost area
   * @param lost state of the lost area
   * @param node node that replaces it
   */
  record Choice(int area, AreaStatus lost, String node) {
    private String range() {
      return "bytes " + lost.start() + " to " + (lost.start() + lost.bytes() - 1) + " of export ''";
    }

    String warning() {
      return "nothing was done: " + range() + " would read as zeros, and what " + lost.node() + " held there would be lost for good"
          + (lost.isGone() ? "" : " though its server may come back with it") + ", and export '" + node
          + "' with all that is in it would end; add --yes to do it";
    }
  }

  /**
   * Checks a requested replacement. Throws {@link CommandFailure} with the allowed choices if it is not possible.
   *
   * @param joined nodes of JVMs that have joined, with the number of bytes that each lends
   */
  static Choice choose(String lost, String node, List<AreaStatus> areas, Map<String, Long> joined) {
    List<String> holders = areas.stream().map(AreaStatus::node).toList();
    int area = holders.indexOf(lost);
    if (area < 0) {
      throw new CommandFailure("'" + lost + "' holds no area of the block device; these do: " + String.join(", ", holders));
    }
    AreaStatus status = areas.get(area);
    if (status.state() != AreaState.LOST) {
      throw new CommandFailure("the area of " + lost + " is " + status.state().name().toLowerCase(Locale.ROOT)
          + "; only a lost one can be replaced");
    }
    List<String> free = joined.keySet().stream().filter(name -> !holders.contains(name)).toList();
    if (!free.contains(node)) {
      throw new CommandFailure("'" + node + "' is no JVM that has joined and is free; " + (free.isEmpty() ? "there is none: start one with './weft join'"
          : "these are: " + String.join(", ", free)));
    }
    if (joined.get(node) < status.bytes()) {
      throw new CommandFailure(node + " offers " + SizeConverter.text(joined.get(node)) + ", the area of " + lost + " has " + SizeConverter.text(status.bytes())
          + "; join with at least --memory " + SizeConverter.text(status.bytes()));
    }
    return new Choice(area, status, node);
  }

  boolean hasTaken(String node) {
    return taken.contains(node);
  }

  /** Replaces the area; {@code look} updates the exports. The caller must hold the lock of the exports. Returns lines that describe the change. */
  List<String> replace(Choice choice, PagerDevice device, Runnable look) throws InterruptedException {
    taken.add(choice.node());
    try {
      look.run(); // That ends the node's separate export and frees its memory.
      attempt(choice, device);
    } catch (CommandFailure e) {
      taken.remove(choice.node());
      look.run();
      throw e;
    }
    return List.of(choice.range() + " read as zeros now: " + choice.node() + " is in the place of " + choice.lost().node() + ".",
        "Recreate or restore what used them, such as a file system.");
  }

  private static void attempt(Choice choice, PagerDevice device) throws InterruptedException {
    for (int left = ATTEMPTS; ; left--) {
      try {
        connect(choice, device);
        return;
      } catch (CommandFailure e) {
        boolean isFreedLater = e.getMessage().contains("NO_MEMORY"); // The server has not yet processed the end of the export.
        if (!isFreedLater || left == 0) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(ATTEMPT_PAUSE_MS);
      }
    }
  }

  private static void connect(Choice choice, PagerDevice device) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    device.replace(choice.area(), new ServerSpec(choice.node(), MemoryServer.SERVICE, choice.lost().bytes()), new PagerDevice.ReplaceListener() {
      @Override
      public void onReplaced(long start, long bytes) {
        done.complete(null);
      }

      @Override
      public void onFailed(String reason) {
        done.completeExceptionally(new CommandFailure(reason));
      }
    });
    try {
      done.orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof CommandFailure refused ? refused : new CommandFailure(choice.node() + " did not answer within " + PATIENCE_S + " s", e);
    }
  }
}
