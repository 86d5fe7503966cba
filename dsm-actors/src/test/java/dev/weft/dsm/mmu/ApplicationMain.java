package dev.weft.dsm.mmu;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** An application in a process of its own: does what it reads, a line each, and answers each with a line. Its threads write what it is told to. */
final class ApplicationMain {
  private static final int FIXED_PRIVATE_ANONYMOUS = 0x32;
  private static volatile boolean stop;
  private static volatile Object garbage;

  private final MmuClient client;
  private final Map<String, MappedView> views = new HashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<String> results = new ArrayList<>();

  private ApplicationMain(MmuClient client) {
    this.client = client;
  }

  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ApplicationMain me;
    try {
      me = new ApplicationMain(new MmuClient(Path.of(args[0])));
    } catch (MmuException refused) {
      System.out.println("refused: " + refused.getMessage());
      return;
    }
    System.out.println("ready");
    for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
      String answer;
      try {
        answer = me.answer(line.split(" "));
      } catch (RuntimeException | InternalError failed) {
        answer = failed.getClass().getSimpleName() + ": " + failed.getMessage();
      } catch (InterruptedException e) {
        answer = "interrupted";
      }
      System.out.println(answer);
    }
    me.client.close();
    System.out.println("closed");
    Runtime.getRuntime().halt(0);
  }

  private String answer(String[] words) throws InterruptedException {
    switch (words[0]) {
      case "map" -> views.put(words[1], client.longs(words[1], Long.parseLong(words[2]), SharingUnit.bytes(Long.parseLong(words[3]))));
      case "get" -> {
        return "" + views.get(words[1]).get(Long.parseLong(words[2]));
      }
      case "set" -> views.get(words[1]).set(Long.parseLong(words[2]), Long.parseLong(words[3]));
      case "lock" -> client.lock(words[1]);
      case "trylock" -> {
        return "" + client.tryLock(words[1], Duration.ofMillis(Long.parseLong(words[2])));
      }
      case "acquire" -> {
        return client.acquire(words[1], Long.parseLong(words[2])).toString();
      }
      case "unlock" -> client.unlock(words[1]);
      case "threads" -> {
        for (int i = 0; i < Integer.parseInt(words[2]); i++) {
          run(() -> {
            client.lock(words[1]);
            client.unlock(words[1]);
          });
        }
      }
      case "leave" -> run(() -> client.lock(words[1]));
      case "barrier" -> client.barrier(words[1], Integer.parseInt(words[2]));
      case "await" -> {
        return "" + client.await(words[1], words[2], 1_000_000 * Long.parseLong(words[3]));
      }
      case "signal" -> client.signal(words[1], words[2], true);
      case "bump" -> {
        client.lock(words[2]);
        views.get(words[3]).set(0, 1);
        client.signal(words[1], words[2], false);
        client.unlock(words[2]);
      }
      case "fetch" -> {
        SharedLongs longs = new MappedArrays.Longs(client, views.get(words[1]));
        if (Boolean.parseBoolean(words[4])) {
          longs.push(Long.parseLong(words[2]), Long.parseLong(words[3]));
        } else {
          longs.prefetch(Long.parseLong(words[2]), Long.parseLong(words[3]));
        }
      }
      case "tamper" -> {
        MappedView view = views.get(words[1]);
        LinuxCalls.call(LinuxCalls.Call.MMAP, view.memory().address(), view.memory().byteSize(), 3, FIXED_PRIVATE_ANONYMOUS, -1, 0);
      }
      case "why" -> {
        return client.why();
      }
      case "count" -> count(views.get(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]), Integer.parseInt(words[4]),
          Integer.parseInt(words[5]));
      case "locked" -> lockedAdds(views.get(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
      case "collect" -> start(ApplicationMain::collect);
      case "stop" -> {
        stop = true;
        for (Thread thread : threads) {
          thread.join();
        }
        synchronized (results) {
          return String.join(" ", results);
        }
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
    return "ok";
  }

  /** In a thread of its own, which ends; fails as that does. */
  private static void run(Runnable body) throws InterruptedException {
    AtomicReference<RuntimeException> failed = new AtomicReference<>();
    Thread thread = Thread.ofPlatform().start(() -> {
      try {
        body.run();
      } catch (RuntimeException e) {
        failed.set(e);
      }
    });
    thread.join();
    if (failed.get() != null) {
      throw failed.get();
    }
  }

  private void start(Runnable body) {
    threads.add(Thread.ofPlatform().start(body));
  }

  /** Threads that each increment words of their own, one in each of some minipages, by a plain load and store: word {@code first + thread} of each. */
  private void count(MappedView view, int count, int words, int stride, int first) {
    for (int t = 0; t < count; t++) {
      int offset = first + t;
      start(() -> {
        long[] expected = new long[words];
        long total = 0;
        long wrong = 0;
        for (int w = 0; w < words; w++) {
          expected[w] = view.get((long) w * stride + offset);
        }
        for (int w = 0; !stop; w = (w + 1) % words) {
          long index = (long) w * stride + offset;
          for (int i = 0; i < 64; i++) {
            long seen = view.get(index);
            wrong += seen == expected[w] ? 0 : 1;
            expected[w] = seen + 1;
            view.set(index, expected[w]);
            total++;
          }
        }
        synchronized (results) {
          results.add(total + "/" + wrong);
        }
      });
    }
  }

  /** Threads that add 1 to element 0 under the lock "sum-lock". */
  private void lockedAdds(MappedView view, int count, int times) {
    for (int t = 0; t < count; t++) {
      start(() -> {
        for (int i = 0; i < times; i++) {
          client.lock("sum-lock");
          view.set(0, view.get(0) + 1);
          client.unlock("sum-lock");
        }
      });
    }
  }

  private static void collect() {
    while (!stop) {
      byte[][] some = new byte[64][];
      for (int i = 0; i < some.length; i++) {
        some[i] = new byte[4096];
      }
      garbage = some;
      System.gc();
    }
  }
}
