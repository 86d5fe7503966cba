package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.mmu.MmuException;
import dev.weft.dsm.mmu.MmuSpace;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft dsm-application}: runs the threads of one node for a command of {@code weft dsm} with {@code --access mmu}. Not for users. */
@Command(name = "dsm-application", hidden = true, description = "Threads that use shared memory; started by 'weft dsm ... --access mmu'.")
public final class DsmApplicationCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "WORD", description = "what to do")
  private List<String> words;

  @Option(names = "--mmu", required = true, paramLabel = "DIR", description = "what the node serves")
  private Path directory;

  @Option(names = "--first", required = true, paramLabel = "THREAD", description = "the first thread here")
  private int first;

  @Option(names = "--count", required = true, paramLabel = "N", description = "threads here")
  private int count;

  @Option(names = "--size", required = true, paramLabel = "N", description = "threads of all nodes")
  private int size;

  @Override
  public Integer call() {
    try {
      play(directory, first, count, size, words);
      return ExitCode.OK;
    } catch (MmuException | IllegalStateException | IOException failed) {
      throw new CommandFailure(failed.getMessage(), failed);
    }
  }

  /**
   * Plays the threads of a task, and leaves the results of the team's first thread in the directory. No thread leaves before all have finished.
   *
   * @throws IllegalStateException if a thread fails; other threads may still wait then
   */
  static void play(Path directory, int first, int count, int size, List<String> words) throws IOException {
    Task task = Tasks.of(words);
    SharedSpace space = new MmuSpace(directory);
    List<Thread> threads = new ArrayList<>();
    Throwable[] failed = new Throwable[1];
    Thread waiting = Thread.currentThread();
    for (int i = 0; i < count; i++) {
      int number = first + i;
      threads.add(Thread.ofPlatform().daemon().name("dsm-thread-" + number).start(() -> {
        try {
          task.play(number, size, space);
          space.barrier("team-end", size).await();
        } catch (RuntimeException | Error thrown) {
          synchronized (failed) {
            failed[0] = failed[0] == null ? thrown : failed[0];
          }
          waiting.interrupt();
        }
      }));
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      synchronized (failed) {
        throw new IllegalStateException(failed[0] == null ? "interrupted" : String.valueOf(failed[0].getMessage()), failed[0] == null ? e : failed[0]);
      }
    }
    synchronized (failed) {
      if (failed[0] != null) {
        throw new IllegalStateException(String.valueOf(failed[0].getMessage()), failed[0]);
      }
    }
    if (first == 0) {
      Files.write(directory.resolve(ApplicationProcesses.RESULTS), task.results());
    }
    space.close();
  }
}
