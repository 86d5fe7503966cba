package dev.weft.dsm.node;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.direct.EntryTakeover;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.member.DirectHomes;
import dev.weft.dsm.member.Succession;
import dev.weft.dsm.member.Takeover;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.Deque;

/** What a node of a {@link DirectModel} says and does when the home of a minipage has crashed: as {@link Succession} and {@link DirectHomes}. */
final class DirectModelTakeover {
  private final DirectModel model;
  private final int self;
  private final SynchronousCore core;
  private final Takeover takeover;
  private final EntryTakeover entries;
  /** What the node has told itself. */
  private final Deque<DsmMessage> mail = new ArrayDeque<>();
  private long lost;

  DirectModelTakeover(DirectModel model, int self, SynchronousCore core) {
    this.model = model;
    this.self = self;
    this.core = core;
    this.takeover = new Takeover(self, this::send, node -> !core.hasHomeless() || !model.plant().waitsForVerbs(),
        this::report, this::onGathered);
    this.entries = new EntryTakeover((minipage, owner, copies) -> model.open(self, minipage, owner, copies));
  }

  /** The node has heard of the crash. */
  void begin(int crashed, long others) {
    lost |= 1L << crashed;
    takeover.begin(crashed, others);
    if (crashed < DirectModel.WORDS && model.homeOf(crashed) == self) {
      entries.begin(crashed);
    }
  }

  private void send(int to, DsmMessage message) {
    if (to == self) {
      mail.add(message);
    } else {
      model.send(self, to, message);
    }
  }

  private void report(int crashed) {
    byte rights = crashed < DirectModel.WORDS ? model.rights(self, crashed) : Rights.NONE;
    if (rights != Rights.NONE) {
      send(model.homeOf(crashed), new DsmMessage.Holds(crashed, 1, rights));
    }
    for (SynchronousCore.GivenUp each : core.takeGivenUp(crashed)) {
      if (model.plant().saysWhatItHadLocked()) {
        send(model.homeOf(each.minipage()), new DsmMessage.WasTaking(each.minipage(), each.owner(), each.copies(), each.lost()));
      }
    }
    model.freeOf(self);
  }

  private void onGathered() {
    entries.onGathered(lost);
  }

  void onMessage(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.NodeGone gone -> takeover.onGone(gone.node(), from);
      case DsmMessage.Holds held -> entries.onHolds(held.first(), held.count(), held.rights(), from);
      case DsmMessage.WasTaking was -> entries.onWasTaking(was.minipage(), was.owner(), was.copies(), was.lost(), from);
      case DsmMessage.HoldsEnd end -> takeover.onEnd(end.node(), from);
      default -> throw new IllegalArgumentException("not of a takeover: " + message);
    }
    if (!model.plant().waitsForAll()) {
      entries.onGathered(lost);
    }
  }

  /** Goes on where nothing is waited for any more. */
  void look() {
    takeover.look();
    for (DsmMessage message = mail.poll(); message != null; message = mail.poll()) {
      onMessage(self, message);
    }
  }

  void append(StringBuilder to) {
    takeover.appendState(to);
    for (int word = 0; word < DirectModel.WORDS; word++) {
      entries.append(word, to);
    }
  }
}
