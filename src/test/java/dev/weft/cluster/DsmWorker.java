package dev.weft.cluster;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import java.util.concurrent.TimeUnit;

/**
 * A thread of one node of a shared memory that uses, as those of the other nodes do, two words that are equal whenever a lock is free, and a word that
 * nobody else writes. It goes on when nodes are lost, without what is lost with them.
 */
final class DsmWorker implements AutoCloseable {
  static final String FOUNDER = "middle";
  static final String MOVING = "moving-homes";
  private static final int NODES = 3;
  private static final int WORDS_APART = 64;

  private final DsmNode node;
  private final SharedLongs pair;
  private final SharedLongs own;
  private final DsmLock lock;
  private final int place;
  private Thread thread;
  private volatile boolean isOver;
  private volatile long rounds;
  private boolean isPairLost;
  private boolean isOwnLost;
  private boolean wasTold;
  private long mine;
  private long othersLost;
  private long longestNs;
  private String wrong;

  /** @param way an engine; {@link #MOVING} for that by requests, with homes that move to who writes */
  DsmWorker(ClusterFabric fabric, Node node, String way) {
    String how = way.equals(MOVING) ? "weft.dsm.home = dynamic" : "weft.dsm.engine = " + way;
    DsmSettings settings = DsmSettings.from(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\n" + how).withFallback(fabric.config()));
    this.node = DsmNode.join(fabric, node, "kills", FOUNDER, settings);
    this.pair = this.node.longs("pair", 2, SharingUnit.whole());
    this.own = this.node.longs("own", NODES * WORDS_APART, SharingUnit.elements(WORDS_APART));
    this.lock = this.node.lock("lock");
    this.place = this.node.node() * WORDS_APART;
  }

  void start() {
    thread = Thread.ofPlatform().name("dsm-worker").start(() -> {
      try {
        long sinceNs = System.nanoTime();
        while (!isOver) {
          round();
          rounds++;
          longestNs = Math.max(longestNs, System.nanoTime() - sinceNs);
          sinceNs = System.nanoTime();
        }
      } catch (RuntimeException failed) {
        wrong = failed.toString();
      }
    });
  }

  private void round() {
    boolean mayBeHalfDone = lock.acquire() == DsmLock.Acquired.HOLDER_LOST;
    wasTold |= mayBeHalfDone;
    try {
      if (!isPairLost) {
        change(mayBeHalfDone);
      }
    } catch (NodeLostException lost) {
      isPairLost = true;
    } finally {
      lock.release();
    }
    try {
      if (!isOwnLost) {
        own.getAndAdd(place, 1);
        mine++;
      }
    } catch (NodeLostException lost) {
      isOwnLost = true;
    }
    try {
      own.get((place + WORDS_APART) % (NODES * WORDS_APART)); // So others take it from its owner.
    } catch (NodeLostException lost) {
      othersLost++;
    }
  }

  private void change(boolean mayBeHalfDone) {
    long first = pair.get(0);
    long second = pair.get(1);
    if (first != second && !mayBeHalfDone) {
      wrong = "the words are " + first + " and " + second + ", and nobody said that a holder was lost";
    }
    pair.set(0, first + 1);
    pair.set(1, first + 1);
  }

  long rounds() {
    return rounds;
  }

  /** Ends the thread; null if all was right. */
  String problem() throws InterruptedException {
    isOver = true;
    thread.join(TimeUnit.SECONDS.toMillis(KilledDsmNodeTest.PATIENCE_SECONDS));
    if (thread.isAlive()) {
      return "its thread hangs";
    }
    if (wrong == null && !isOwnLost && own.get(place) != mine) {
      return "its word is " + own.get(place) + " and should be " + mine;
    }
    return wrong;
  }

  String account() {
    return rounds + " rounds, the longest took " + TimeUnit.NANOSECONDS.toMillis(longestNs) + " ms" + (wasTold ? ", told of a lost holder" : "")
        + (isPairLost ? ", the words are lost" : "") + (isOwnLost ? ", its word is lost" : "")
        + (othersLost > 0 ? ", another one's word is lost" : "");
  }

  @Override
  public void close() {
    node.close();
  }
}
