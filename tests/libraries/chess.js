// chess.js: move generation, notation and rules.
import { Chess, validateFen } from "chess.js";

const game = new Chess();
for (const move of ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "f6", "d4", "exd4", "Nxd4", "c5", "Nb3", "Qxd1"]) game.move(move);
console.log(game.fen(), game.turn(), game.history().join(" "));
console.log(game.ascii());
console.log(game.pgn());
console.log(JSON.stringify(game.moves({ verbose: true }).slice(0, 3)));
console.log(game.moves().sort().join(" "));

function perft(position, depth) {
  if (depth === 0) return 1;
  let nodes = 0;
  for (const move of position.moves()) {
    position.move(move);
    nodes += perft(position, depth - 1);
    position.undo();
  }
  return nodes;
}
console.log([1, 2, 3].map((depth) => perft(new Chess(), depth)));
console.log(perft(new Chess("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"), 2));
const mate = new Chess();
for (const move of ["f3", "e5", "g4", "Qh4#"]) mate.move(move);
console.log(mate.isCheckmate(), mate.isGameOver(), mate.isDraw(), mate.inCheck());
for (const bad of ["e5", "Qxe9", ""]) try { new Chess().move(bad); } catch (error) { console.log(error.message); }
console.log(JSON.stringify(validateFen("8/8/8/8/8/8/8/8 w - - 0 1")), JSON.stringify(validateFen("nonsense")));
const loaded = new Chess();
loaded.loadPgn('[White "A"]\n[Black "B"]\n\n1. e4 e5 {a comment} 2. Nf3 (2. f4 exf4) Nc6 $1 3. Bb5 *');
console.log(loaded.history(), loaded.getComments(), loaded.header ? JSON.stringify(loaded.getHeaders()) : "");
console.log(new Chess("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1").isStalemate(), loaded.attackers("e5", "w"), loaded.get("e4"));
