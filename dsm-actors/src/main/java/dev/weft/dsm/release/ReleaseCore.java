package dev.weft.dsm.release;

import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.access.RightsWaiter;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.release.ReleasePage.State;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Release consistency of one node: copies of the minipages that it has touched, twins of those that its threads write, and the updates that it sends
 * at a release. Used in the receive context.
 */
public final class ReleaseCore {
  /** An answer that waits until all earlier batches have reached their receivers. */
  private record Answer(int to, ReleasePage page, int round, long seq) {}

  /** Number of passes without a change in a minipage before its twin is dropped. */
  private static final int IDLE_MAX = 8;

  private final int self;
  private final MemorySegment frames;
  private final AccessControl access;
  private final ReleasePort port;
  private final LongSupplier others;
  private final long twinBytesMax;
  private final Staging staging;
  private final Held held;
  private final Gathering gathering;
  private final GroupPort group;
  private final GroupSends sends;
  private final GroupArrivals arrivals;
  private final Multicast multicast;
  private final TreeMap<Integer, ObjectSpec> specs = new TreeMap<>();
  private final Map<Integer, ReleasePage> pages = new HashMap<>();
  private final List<ReleasePage> written = new ArrayList<>();
  private final ArrayDeque<Answer> answers = new ArrayDeque<>();
  /** Minipages that threads want to write as soon as there is room for a twin. */
  private final ArrayDeque<ReleasePage> wantTwin = new ArrayDeque<>();
  private final ArrayDeque<ReleasePage> pass = new ArrayDeque<>();
  private long passes;
  private boolean isInPass;
  private boolean wantsPass;
  private long twinBytes;
  private long fetches;
  /** The last batch that may have data of a freed array. */
  private long freedSeq;
  private boolean isPumping;

  /**
   * A node without arrays.
   *
   * @param memoryBytes size of the shared memory; after it the frames have {@link #stagingBytes}
   * @param twinBytesMax maximum bytes of twins; exceeded while threads are inside, and by a single minipage that is larger
   * @param others bits of the other nodes that live
   * @param group multicast to all nodes; {@link GroupPort#NONE} if there is none
   */
  public ReleaseCore(int self, MemorySegment frames, long memoryBytes, long twinBytesMax, AccessControl access, ReleasePort port, LongSupplier others,
      GroupPort group, MulticastSettings settings) {
    this.self = self;
    this.frames = frames;
    this.access = access;
    this.port = port;
    this.others = others;
    this.twinBytesMax = twinBytesMax;
    staging = new Staging(frames, memoryBytes, self);
    held = new Held(port, this::beginPass);
    this.group = group;
    sends = new GroupSends(self, staging, port, group, settings);
    arrivals = new GroupArrivals(self, frames, staging, port, group, this::take);
    multicast = new Multicast(sends, arrivals, this::pump);
    gathering = new Gathering(frames, staging, port, sends, others);
  }

  /** Bytes that the frames need after that much shared memory. */
  public static long stagingBytes(long memoryBytes) {
    return Staging.bytes(memoryBytes);
  }

  /** For messages of locks, barriers and conditions: a message that is a release waits until all copies have the changes. */
  public Outbox outbox() {
    return (node, message) -> {
      held.send(node, message);
      pump();
    };
  }

  /** Runs {@code then} when all copies have the changes of this node's threads so far. */
  public void release(Runnable then) {
    held.add(then);
    pump();
  }

  // Arrays.

  /** Adds an array. */
  public void add(ObjectSpec spec) {
    specs.put(spec.firstMinipage(), spec);
    group.start();
  }

  /** Removes an array; returns false if it is not one of these. Waiting threads look again. */
  public boolean remove(ObjectSpec spec) {
    if (specs.remove(spec.firstMinipage()) == null) {
      return false;
    }
    pages.values().removeIf(page -> {
      if (spec.hasMinipage(page.minipage)) {
        page.isFreed = true;
        dropTwin(page);
        page.waiting.forEach(RightsWaiter::served);
        page.waiting.clear();
      }
      return page.isFreed;
    });
    freedSeq = gathering.lastSeq();
    written.removeIf(page -> page.isFreed);
    wantTwin.removeIf(page -> page.isFreed);
    pump();
    return true;
  }

  /** Whether updates of a freed array may still be on their way. */
  public boolean isSendingFreed() {
    return staging.doneSeq() < freedSeq;
  }

  private void dropTwin(ReleasePage page) {
    if (page.twin != null) {
      page.twin = null;
      twinBytes -= page.bytes;
    }
  }

  /** Whether this node has arrays with release consistency. */
  public boolean hasArrays() {
    return !specs.isEmpty();
  }

  /** Whether messages are held back until all copies have earlier changes. */
  public boolean isHolding() {
    return held.size() > 0;
  }

  /** Whether a minipage belongs to one of these arrays. */
  public boolean has(int minipage) {
    return specOf(minipage) != null;
  }

  private ObjectSpec specOf(int minipage) {
    Map.Entry<Integer, ObjectSpec> found = specs.floorEntry(minipage);
    return found != null && found.getValue().hasMinipage(minipage) ? found.getValue() : null;
  }

  /** The state of a minipage; null if this node has not touched it. The home of a minipage has a copy from the start. */
  private ReleasePage pageOf(int minipage, boolean isTouched) {
    ReleasePage page = pages.get(minipage);
    ObjectSpec spec = page == null ? specOf(minipage) : null;
    if (spec != null) {
      boolean isHome = spec.homeOf(minipage - spec.firstMinipage()) == self;
      if (isHome || isTouched) {
        page = new ReleasePage(spec, minipage, isHome);
        pages.put(minipage, page);
      }
    }
    return page;
  }

  // Threads.

  /** A thread wants rights. */
  public void onFault(int minipage, RightsWaiter waiter) {
    ReleasePage page = pageOf(minipage, true);
    page.waiting.add(waiter);
    touch(page);
    pump();
  }

  /** Requests a copy that no thread waits for. */
  public void prefetch(int minipage) {
    ReleasePage page = pageOf(minipage, true);
    if (page != null && page.state != State.HERE) {
      touch(page);
    }
  }

  private void touch(ReleasePage page) {
    if (page.state == State.NONE) {
      page.newer = new BitSet();
      ask(page);
    } else if (page.state == State.HERE) {
      serve(page);
    }
  }

  private void ask(ReleasePage page) {
    page.state = State.ASKING;
    page.round++;
    page.asked = others.getAsLong();
    page.complete = 0;
    page.lowerAsks = false;
    page.hasLost = false;
    for (long left = page.asked; left != 0; left &= left - 1) {
      port.send(Long.numberOfTrailingZeros(left), new DsmMessage.CopyWanted(page.minipage, page.round));
    }
    lookWhetherAnswered(page);
  }

  private void serve(ReleasePage page) {
    boolean wantsToWrite = page.waiting.stream().anyMatch(waiter -> waiter.rights() == Rights.WRITE);
    if (wantsToWrite && page.twin == null && twinBytes > 0 && twinBytes + page.bytes > twinBytesMax && !wantTwin.contains(page)) {
      written.forEach(each -> each.idle = IDLE_MAX);
      wantTwin.add(page);
      beginPass();
    }
    boolean mayWrite = wantsToWrite && !wantTwin.contains(page);
    if (mayWrite) {
      giveTwin(page);
    }
    grant(page, mayWrite ? Rights.WRITE : Rights.READ);
    page.waiting.removeIf(waiter -> {
      boolean isServed = mayWrite || waiter.rights() != Rights.WRITE;
      if (isServed) {
        waiter.served();
      }
      return isServed;
    });
  }

  private void grant(ReleasePage page, byte rights) {
    if (access.rights(page.minipage) < rights) {
      access.grant(page.minipage, rights);
    }
  }

  private void giveTwin(ReleasePage page) {
    page.isDropping = false;
    page.idle = 0;
    if (page.twin == null) {
      page.twin = MemorySegment.ofArray(new long[page.bytes + 7 >> 3]).asSlice(0, page.bytes);
      page.twin.copyFrom(frames.asSlice(page.at, page.bytes));
      twinBytes += page.bytes;
      written.add(page);
    }
  }

  // Copies.

  /** Handles a message from another node. */
  public void onMessage(int from, DsmMessage.OfRelease message) {
    switch (message) {
      case DsmMessage.CopyWanted m -> onWanted(from, m);
      case DsmMessage.CopyAnswer m -> onAnswer(from, m);
      case DsmMessage.CopyFetch m -> onFetch(from, m);
      case DsmMessage.UpdatesTaken m -> staging.onAck(from, m.seq());
      case DsmMessage.OfBatch m -> multicast.onMessage(from, m);
    }
    pump();
  }

  /** From now on the sender gets updates. This node answers when all earlier batches have arrived, so that a fetched copy has their changes. */
  private void onWanted(int from, DsmMessage.CopyWanted wanted) {
    ReleasePage page = pageOf(wanted.minipage(), false);
    if (page == null || page.state == State.NONE) {
      port.send(from, new DsmMessage.CopyAnswer(wanted.minipage(), wanted.round(), DsmMessage.Copy.NONE));
      return;
    }
    page.copies |= 1L << from;
    answers.add(new Answer(from, page, wanted.round(), gathering.lastSeq()));
  }

  private void onAnswer(int from, DsmMessage.CopyAnswer answer) {
    ReleasePage page = pages.get(answer.minipage());
    if (page == null || page.state != State.ASKING || page.round != answer.round()) {
      return;
    }
    long bit = 1L << from;
    page.asked &= ~bit;
    switch (answer.copy()) {
      case NONE -> { }
      case ASKING -> {
        page.copies |= bit;
        page.lowerAsks |= from < self;
      }
      case COMPLETE -> {
        page.copies |= bit;
        page.complete |= bit;
      }
    }
    lookWhetherAnswered(page);
  }

  private void lookWhetherAnswered(ReleasePage page) {
    if (page.asked != 0) {
      return;
    }
    if (page.complete != 0) {
      page.state = State.FETCHING;
      page.source = (page.complete & 1L << page.home) != 0 ? page.home : Long.numberOfTrailingZeros(page.complete);
      page.fetched = 0;
      port.send(page.source, new DsmMessage.CopyFetch(page.minipage, page.round));
    } else if (page.lowerAsks || page.hasLost) {
      ask(page); // Another node may still get a copy, or have one by now, or find that no node has one.
    } else {
      page.state = State.NONE;
      page.newer = null;
      ObjectSpec spec = specOf(page.minipage);
      List<RightsWaiter> waiting = List.copyOf(page.waiting);
      page.waiting.clear();
      waiting.forEach(waiter -> waiter.lost("all copies of minipage " + (page.minipage - spec.firstMinipage()) + " of \"" + spec.name()
          + "\" were on nodes that are lost"));
    }
  }

  private void onFetch(int from, DsmMessage.CopyFetch wanted) {
    ReleasePage page = pageOf(wanted.minipage(), false);
    if (page != null && page.state == State.HERE) {
      gathering.addContent(page, from, wanted.round());
    }
  }

  // Updates.

  void take(int from, long begin, long end) {
    Entries.visit(staging, begin, end, (minipage, question, offset, bytes, data) -> {
      ReleasePage page = pages.get(minipage);
      if (page == null || page.state == State.NONE) {
        return;
      }
      if (offset < 0 || bytes > page.bytes - offset || (bytes | offset) % page.elementBytes != 0) {
        throw new IllegalArgumentException("an update of " + bytes + " bytes at " + offset + " does not fit into a minipage of " + page.bytes);
      }
      if (question == 0) {
        update(page, offset, bytes, data);
      } else if (page.state == State.FETCHING && page.round == question && page.source == from) {
        content(page, offset, bytes, data);
      }
    });
  }

  private void update(ReleasePage page, int offset, int bytes, long data) {
    for (int i = 0; i < bytes; i += page.elementBytes) {
      page.apply(frames, offset + i, Differences.load(frames, data + i, page.elementBytes));
    }
  }

  private void content(ReleasePage page, int offset, int bytes, long data) {
    for (int i = 0; i < bytes; i += page.elementBytes) {
      page.fetched(frames, offset + i, Differences.load(frames, data + i, page.elementBytes));
    }
    page.fetched += bytes;
    if (page.fetched == page.bytes) {
      page.state = State.HERE;
      page.newer = null;
      fetches++;
      serve(page);
    }
  }

  // Releases.

  /** Begins a pass over all twins. Returns its number, or 0 if no changes are written or on their way. */
  private long beginPass() {
    if (isInPass) {
      wantsPass = true;
      return passes + 1;
    }
    if (written.isEmpty() && staging.doneSeq() == gathering.lastSeq()) {
      return 0;
    }
    startPass(); // Even an empty one: changes of other threads may still be on their way.
    return passes;
  }

  private void startPass() {
    passes++;
    isInPass = true;
    pass.addAll(written);
  }

  /** Does what is possible now: sends differences, contents and answers, and releases held messages. */
  public void pump() {
    if (isPumping) {
      return;
    }
    isPumping = true;
    try {
      do {
        while (isInPass && gatherAll()) {
          endPass();
        }
        gathering.contents();
        gathering.seal();
        sendAnswers();
        held.onDone(staging.doneSeq());
      } while (isInPass && gathering.canGoOn());
    } finally {
      isPumping = false;
    }
  }

  /** Returns false if there is no room. */
  private boolean gatherAll() {
    while (!pass.isEmpty()) {
      ReleasePage page = pass.peek();
      if (!page.isFreed && page.twin != null) {
        if (gathering.isAtBegin() && page.idle >= IDLE_MAX) {
          page.isDropping = access.tryRevoke(page.minipage, Rights.READ);
        }
        if (!gathering.differences(page)) {
          return false;
        }
        page.idle = gathering.hasChanged() && page.idle < IDLE_MAX ? 0 : page.idle + 1;
        if (page.isDropping) {
          dropTwin(page);
          page.isDropping = false;
          written.remove(page);
        }
      }
      pass.poll();
      gathering.atBegin();
    }
    return true;
  }

  private void endPass() {
    gathering.onPassDone();
    isInPass = false;
    held.onPassDone(passes, staging.lastSeq());
    List<ReleasePage> waiting = List.copyOf(wantTwin);
    wantTwin.clear();
    waiting.forEach(page -> {
      giveTwin(page);
      serve(page);
    });
    if (wantsPass) {
      wantsPass = false;
      startPass();
    }
  }

  private void sendAnswers() {
    for (int i = answers.size(); i > 0; i--) {
      Answer answer = answers.poll();
      if (answer.seq > staging.doneSeq() && !answer.page.isFreed) {
        answers.add(answer);
        continue;
      }
      boolean isHere = answer.page.state == State.HERE;
      DsmMessage.Copy copy = answer.page.isFreed || answer.page.state == State.NONE ? DsmMessage.Copy.NONE
          : isHere ? DsmMessage.Copy.COMPLETE : DsmMessage.Copy.ASKING;
      port.send(answer.to, new DsmMessage.CopyAnswer(answer.page.minipage, answer.round, copy));
    }
  }

  /** The node is lost: no message of it arrives any more, and this node no longer waits for its answers. */
  public void onNodeLost(int node) {
    long bit = 1L << node;
    staging.onNodeLost(node);
    gathering.onNodeLost(node);
    multicast.onNodeLost(node);
    answers.removeIf(answer -> answer.to == node);
    for (ReleasePage page : List.copyOf(pages.values())) {
      boolean matters = ((page.asked | page.complete) & bit) != 0;
      page.copies &= ~bit;
      page.complete &= ~bit;
      page.asked &= ~bit;
      if (page.state == State.ASKING && matters) {
        page.hasLost = true; // A node that was about to get the content from the lost one may have it by now.
        lookWhetherAnswered(page);
      } else if (page.state == State.FETCHING && page.source == node) {
        ask(page);
      }
    }
    pump();
  }

  /** Updates by multicast. */
  public Multicast multicast() {
    return multicast;
  }

  /** The counters. */
  public ReleaseCounts counts() {
    int here = (int) pages.values().stream().filter(page -> page.state == State.HERE).count();
    return new ReleaseCounts(here, written.size(), twinBytes, fetches, passes, gathering.batches(), gathering.batchBytes(), gathering.copies(),
        sends.batches(), sends.datagrams(), arrivals.placed(), arrivals.dropped(), sends.asked(), sends.repairs());
  }
}
